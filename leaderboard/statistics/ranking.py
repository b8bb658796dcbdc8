"""Ranks, and rank intervals that hold for all entries of a leaderboard simultaneously."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.statistics.cards import NO_CARDS, CardEffects
from leaderboard.statistics.comparisons import paired_t
from leaderboard.statistics.limits import MIN_TASKS_FOR_COMPARISON, too_few
from leaderboard.statistics.results import Numbers

FAMILY_ERROR = 0.05  # probability of at least one false difference among all pairs

NOBODY = "No entry is ranked, so there are no rank intervals."


@dataclass(frozen=True, slots=True)
class RankInterval:
    low: int  # 1 + entries that are significantly better
    high: int  # entries that are not significantly worse, itself included
    is_separable: bool  # an entry of rank 1 is significantly better


def ranks(values: Sequence[float]) -> list[int]:
    """Ranks by value, largest first; equal values share a rank: 1, 2, 2, 4."""
    return [1 + sum(other > value for other in values) for value in values]


def rank_intervals(entries: Sequence[Numbers], cards: CardEffects | None = None) -> list[RankInterval] | str:
    """Rank interval of each entry, from its mean on each task of the ranking metric; or the reason why there are none.

    `cards`: what the entries owe to their cards, where that is known.
    All pairs are tested with the paired t test and Holm's correction, so that the intervals hold simultaneously.
    """
    if not entries:
        return NOBODY
    refused = too_few(len(entries[0]), MIN_TASKS_FOR_COMPARISON, "Rank intervals need")
    if refused:
        return refused
    values = np.array(entries)
    first, second = np.triu_indices(len(entries), k=1)
    part = cards.between(first, second) if cards else NO_CARDS
    found = paired_t(values[first] - values[second], part)
    better: list[set[int]] = [set() for _ in entries]  # the entries significantly better than this one
    for a, b, mean, differs in zip(first.tolist(), second.tolist(), found.mean, holm(found.p.tolist()), strict=True):
        if differs:
            worse, best = (b, a) if mean > 0 else (a, b)
            better[worse].add(best)
    leaders = {index for index, rank in enumerate(ranks([float(one.mean()) for one in entries])) if rank == 1}
    beaten = [sum(index in others for others in better) for index in range(len(entries))]
    return [
        RankInterval(1 + len(better[index]), len(entries) - beaten[index], bool(better[index] & leaders))
        for index in range(len(entries))
    ]


def holm(p_values: Sequence[float]) -> list[bool]:
    """Hypotheses that Holm's procedure rejects: the smallest p is held against α/m, the next against α/(m − 1) …"""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    rejected = [False] * len(p_values)
    for step, index in enumerate(order):
        if p_values[index] > FAMILY_ERROR / (len(order) - step):
            break
        rejected[index] = True
    return rejected
