"""Permutation tests of what explains success, over outcomes as entries × tasks (shares of each entry's runs).

They need no independence of the entries' outcomes on one task, which logistic models and χ² assume. Permutations are
drawn from a seed that follows from the outcomes, so the same results always have the same p.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from leaderboard.statistics.results import Integers, Numbers

MOST, LEAST = 999, 199  # permutations; p is at least 1/(permutations + 1)
MOST_OUTCOMES = 1_000_000  # that are permuted for one test: about 0.05 s
ROUNDING = 1e-9  # error of a sum of shares

Generator = np.random.Generator


@dataclass(frozen=True, slots=True)
class Dependence:
    """How far entries pass the same tasks of a category more often than chance would have it."""

    ratio: float  # variance of the tasks' totals ÷ that of independent entries: 1 to the number of entries
    p: float
    permutations: int


@dataclass(frozen=True, slots=True)
class PermutedEffects:
    category_p: float
    method_p: float
    permutations: int


def dependence(outcomes: Numbers, groups: Integers) -> Dependence | None:
    """Do entries agree about single tasks of a category? None where no entry has different outcomes in one.

    With independent entries, the variance of the number of entries that pass a task is the sum of the entries' own.
    Under that hypothesis the tasks of a category are exchangeable for each entry alone.
    """
    within = [outcomes[:, groups == group] for group in np.unique(groups)]
    own = sum(float(((part - part.mean(axis=1, keepdims=True)) ** 2).sum()) for part in within)
    if own < ROUNDING:
        return None
    seen = sum(_scatter(part.sum(axis=0)) for part in within)
    count = _permutations(outcomes)
    random = _generator(outcomes, groups)
    drawn = np.zeros(count)
    for part in within:
        entries, tasks = part.shape
        shuffled = random.permuted(np.broadcast_to(part, (count, entries, tasks)), axis=2)
        drawn += _scatter_of_rows(shuffled.sum(axis=1))
    return Dependence(seen / own, _p(drawn, seen), count)


def effects(outcomes: Numbers, groups: Integers) -> PermutedEffects:
    """Test the category by exchanging it among tasks, the entry by exchanging entries on each task.

    The first compares the categories' mean numbers of entries that pass a task (one-way analysis of variance), with all
    outcomes on a task kept together. The second compares the entries' numbers of passed tasks (Cochran's Q).
    """
    count, random = _permutations(outcomes), _generator(outcomes, groups)
    return PermutedEffects(_category_p(outcomes, groups, count, random), _method_p(outcomes, count, random), count)


def _category_p(outcomes: Numbers, groups: Integers, count: int, random: Generator) -> float:
    names, member = np.unique(groups, return_inverse=True)
    indicator = np.eye(len(names))[member]
    weight = indicator / np.sqrt(indicator.sum(axis=0))
    totals = outcomes.sum(axis=0)
    totals = totals - totals.mean()
    drawn = random.permuted(np.broadcast_to(totals, (count, len(totals))), axis=1)
    seen = float(((totals @ weight) ** 2).sum())
    return _p(((drawn @ weight) ** 2).sum(axis=1), seen)


def _method_p(outcomes: Numbers, count: int, random: Generator) -> float:
    entries, tasks = outcomes.shape
    drawn = random.permuted(np.broadcast_to(outcomes.T, (count, tasks, entries)), axis=2).sum(axis=1)
    return _p(_scatter_of_rows(drawn), _scatter(outcomes.sum(axis=1)))


def _permutations(outcomes: Numbers) -> int:
    return int(min(MOST, max(LEAST, MOST_OUTCOMES // outcomes.size)))


def _generator(outcomes: Numbers, groups: Integers) -> Generator:
    seed = sha256(np.ascontiguousarray(outcomes, dtype="<f8").tobytes() + groups.astype("<i8").tobytes())
    return np.random.default_rng(int.from_bytes(seed.digest()[:8], "big"))


def _scatter(values: Numbers) -> float:
    return float(((values - values.mean()) ** 2).sum())


def _scatter_of_rows(rows: Numbers) -> Numbers:
    return np.asarray(((rows - rows.mean(axis=1, keepdims=True)) ** 2).sum(axis=1))


def _p(drawn: Numbers, seen: float) -> float:
    """Share of permutations, with the one that was seen, that are at least as extreme."""
    return float(((drawn >= seen - ROUNDING).sum() + 1) / (len(drawn) + 1))
