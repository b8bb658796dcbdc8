"""Entries of a board compared: every pair with its tests, and every task with what each entry does on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from leaderboard.pages.board.standings import Entry
from leaderboard.statistics.answers import Answers
from leaderboard.statistics.comparisons import (
    OnTask,
    PairedComparison,
    by_task,
    compare_correctness,
    compare_usable_speedup,
)


@dataclass(frozen=True, slots=True)
class ComparedPair:
    first: str
    second: str
    usable_speedup: PairedComparison | None  # None on functional devices
    correctness: PairedComparison


@dataclass(frozen=True, slots=True)
class ComparedTask:
    """One task; `entries` are in the page's order."""

    task: str
    entries: tuple[OnTask, ...]
    difference: float | None  # largest by smallest usable speedup; of shares of right runs on functional devices


def compared_pairs(
    entries: Sequence[Entry], numbers: Mapping[str, Answers], eligible: int | None
) -> tuple[ComparedPair, ...]:
    """`eligible`: how many of the tasks can show a speed; None where no times count."""
    found = []
    for first, second in combinations([entry.configuration for entry in entries], 2):
        one, other = numbers[first], numbers[second]
        speed = None if eligible is None else compare_usable_speedup(one, other, eligible)
        found.append(ComparedPair(first, second, speed, compare_correctness(one, other)))
    return tuple(found)


def compared_tasks(tasks: Sequence[str], numbers: Sequence[Answers], is_functional: bool) -> tuple[ComparedTask, ...]:
    """The largest difference first."""
    on_tasks = zip(*(by_task(one) for one in numbers), strict=True)
    lines = (
        [
            ComparedTask(task, found, _difference(found, is_functional))
            for task, found in zip(tasks, on_tasks, strict=True)
        ]
        if numbers
        else []
    )
    return tuple(sorted(lines, key=lambda line: (-(line.difference or 0.0), line.task)))


def _difference(found: Sequence[OnTask], is_functional: bool) -> float | None:
    if is_functional:
        shares = [one.right / one.judged for one in found if one.judged]
        return max(shares) - min(shares) if len(shares) > 1 else None
    usable = [one.usable for one in found if one.usable is not None]
    return max(usable) / min(usable) if len(usable) > 1 else None
