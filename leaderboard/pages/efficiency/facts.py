"""Hardware efficiency of a board's entries: by task, by type of operator, and of an entry as a whole.

Everything is over correct results that count, as the paper has it. A task's number is the mean over the entry's runs,
and that of a type or an entry the mean over tasks which have one; beside it stands over how many of all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from evaluator.tasks.roofline import Efficiency, TimedWork, efficiency
from leaderboard.pages.board.board import Board
from leaderboard.pages.board.operators import OTHER
from leaderboard.pages.board.standings import BoardResult, Entry

NOT_CORRECT = "no correct result that counts"
NO_SUMS = "no case with a speed that counts, or the task has changed since its model was stored"


@dataclass(frozen=True, slots=True)
class TaskNumbers:
    """One entry on one task: means over the runs that have a number."""

    task: str
    operator: str
    configuration: str
    correct: int  # results that count
    timed: int  # of them those with achieved rates
    found: Efficiency


@dataclass(frozen=True, slots=True)
class Means:
    """Means over tasks with a score; IOU and MFU are over those of them that have one."""

    tasks: int  # of the board, or of the type
    scored: int  # over which the means are
    iou: float | None
    mfu: float | None
    score: float | None
    above: int  # tasks whose score is above 100 %


@dataclass(frozen=True, slots=True)
class EntryEfficiency:
    configuration: str
    agent: str
    model: str | None
    role: str
    rank: int | None  # on the leaderboard; efficiency ranks nothing
    correct: int  # tasks with a correct result that counts
    means: Means


@dataclass(frozen=True, slots=True)
class OperatorEfficiency:
    operator: str
    configuration: str
    means: Means


def task_numbers(board: Board, entries: Sequence[Entry], work: Mapping[int, TimedWork]) -> tuple[TaskNumbers, ...]:
    """Every task in the board's order, in it every entry."""
    results: dict[tuple[str, str], list[BoardResult]] = {}
    for one in board.standings.results:
        if one.obstacle is None and one.correct:
            results.setdefault((one.task, one.configuration), []).append(one)
    return tuple(
        _task(task.path, task.operator or OTHER, entry, results.get((task.path, entry.configuration), []), work, board)
        for task in board.tasks
        for entry in entries
    )


def entry_means(numbers: Sequence[TaskNumbers], entries: Sequence[Entry]) -> tuple[EntryEfficiency, ...]:
    own = _grouped(numbers, lambda one: one.configuration)
    return tuple(
        EntryEfficiency(
            entry.configuration,
            entry.agent,
            entry.model,
            entry.role,
            entry.rank,
            sum(one.correct > 0 for one in own.get(entry.configuration, [])),
            means(own.get(entry.configuration, [])),
        )
        for entry in entries
    )


def operator_means(numbers: Sequence[TaskNumbers]) -> tuple[OperatorEfficiency, ...]:
    """Each type in the order of the alphabet, in it each entry; empty if the tasks are of one type only."""
    groups = _grouped(numbers, lambda one: one.operator)
    if len(groups) < 2:
        return ()
    return tuple(
        OperatorEfficiency(operator, configuration, means(own))
        for operator in sorted(groups)
        for configuration, own in _grouped(groups[operator], lambda one: one.configuration).items()
    )


def means(numbers: Sequence[TaskNumbers]) -> Means:
    scored = [one.found for one in numbers if one.found.score is not None]
    return Means(
        len(numbers),
        len(scored),
        _mean([one.iou for one in scored]),
        _mean([one.mfu for one in scored]),
        _mean([one.score for one in scored]),
        sum(one.score is not None and one.score > 1 for one in scored),
    )


def _task(
    task: str,
    operator: str,
    entry: Entry,
    results: Sequence[BoardResult],
    work: Mapping[int, TimedWork],
    board: Board,
) -> TaskNumbers:
    known = [work.get(one.result) for one in results if one.result is not None]
    found = [efficiency(one, board.device.slug) for one in known if one is not None]
    about = task, operator, entry.configuration, len(results), len(found)
    if not found:
        nothing = Efficiency(None, None, None, None, None, NO_SUMS if results else NOT_CORRECT)
        return TaskNumbers(*about, nothing)
    score = _mean([one.score for one in found])
    averaged = Efficiency(
        _mean([one.bytes_per_s for one in found]),
        _mean([one.flops_per_s for one in found]),
        _mean([one.iou for one in found]),
        _mean([one.mfu for one in found]),
        score,
        found[0].missing if score is None else "",
    )
    return TaskNumbers(*about, averaged)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _grouped(numbers: Sequence[TaskNumbers], key: Callable[[TaskNumbers], str]) -> dict[str, list[TaskNumbers]]:
    groups: dict[str, list[TaskNumbers]] = {}
    for one in numbers:
        groups.setdefault(key(one), []).append(one)
    return groups
