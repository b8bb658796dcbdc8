"""Values of a comparison: each pair of entries with its tests, and each task with the results of every entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from leaderboard.pages.board.standings import Entry
from leaderboard.statistics.cards import CardSpread
from leaderboard.statistics.comparisons import (
    OnTask,
    PairedComparison,
    by_task,
    compare_correctness,
    compare_usable_speedup,
)
from leaderboard.statistics.results import ResultMatrix


@dataclass(frozen=True, slots=True)
class ComparedPair:
    first: str
    second: str
    usable_speedup: PairedComparison | None  # None on functional devices
    correctness: PairedComparison


@dataclass(frozen=True, slots=True)
class ComparedTask:
    """One task with the results of each entry, in the order of the page."""

    task: str
    entries: tuple[OnTask, ...]
    difference: float | None  # largest ÷ smallest usable speedup, or largest − smallest correctness rate


def compared_pairs(
    entries: Sequence[Entry], matrices: Mapping[str, ResultMatrix], eligible: int | None, spread: CardSpread | None
) -> tuple[ComparedPair, ...]:
    """Compare every pair. `eligible`: the number of tasks that can show a speed; None on functional devices."""
    found = []
    for first, second in combinations([entry.configuration for entry in entries], 2):
        one, other = matrices[first], matrices[second]
        speed = None if eligible is None else compare_usable_speedup(one, other, eligible, spread)
        found.append(ComparedPair(first, second, speed, compare_correctness(one, other)))
    return tuple(found)


def compared_tasks(
    tasks: Sequence[str], matrices: Sequence[ResultMatrix], is_functional: bool
) -> tuple[ComparedTask, ...]:
    """Tasks with the results of each entry, the largest difference first."""
    if not matrices:
        return ()
    on_tasks = zip(*(by_task(one) for one in matrices), strict=True)
    compared = [
        ComparedTask(task, found, _difference(found, is_functional))
        for task, found in zip(tasks, on_tasks, strict=True)
    ]
    return tuple(sorted(compared, key=lambda one: (-(one.difference or 0.0), one.task)))


def _difference(found: Sequence[OnTask], is_functional: bool) -> float | None:
    if is_functional:
        shares = [one.correct / one.judged for one in found if one.judged]
        return max(shares) - min(shares) if len(shares) > 1 else None
    usable = [one.usable for one in found if one.usable is not None]
    return max(usable) / min(usable) if len(usable) > 1 else None
