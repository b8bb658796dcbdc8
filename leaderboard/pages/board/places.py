"""Who stands where in each category of a suite: the ranks of its boards without the rest of what they show.

Rates with intervals, outcomes and the paper's columns cost more than ranks, and the first page has every board.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.tasks.cards import BetweenCards
from leaderboard.pages.base import entry_name
from leaderboard.pages.board.standings import RankedBy, eligible, obstacle_of, ranking, spread_of, values_of
from leaderboard.queries.boards import ResultRow, TaskRow, takes_part
from leaderboard.queries.suite_boards import EntrantRow
from leaderboard.statistics.cards import CardSpread
from leaderboard.statistics.results import ResultMatrix
from leaderboard.statistics.speed import usable_ratio, why_no_speed
from leaderboard.words import ALL, CATEGORIES


@dataclass(frozen=True, slots=True)
class Place:
    """A ranked entry, by usable speedup or, where that is None, by correct results."""

    rank: int
    is_separable: bool | None  # an entry of rank 1 is significantly better; None without rank intervals
    configuration: str
    agent: str
    model: str | None
    usable_speedup: float | None
    correct: int
    of: int


def places(
    tasks: Sequence[TaskRow],
    runs: Sequence[EntrantRow],
    rows: Sequence[ResultRow],
    *,
    is_functional: bool,
    between: BetweenCards | None,
) -> dict[str, tuple[Place, ...]]:
    """Map each category that has tasks to its ranked entries, the best first, equal ones by name."""
    known, entries = eligible(rows), _entries(tasks, runs, rows)
    found = {}
    for category in CATEGORIES:
        members = [index for index, task in enumerate(tasks) if category in (ALL, task.category)]
        if members:
            can_show_speed = sum(known.get(tasks[index].id, False) for index in members)
            has_speed = not is_functional and why_no_speed(can_show_speed) is None
            those = [tasks[index] for index in members]
            own = [(run, matrix.select(members)) for run, matrix in entries if takes_part(run, those)]
            found[category] = _ranked(own, has_speed, spread_of(between, [task.path for task in those]))
    return found


def _entries(
    tasks: Sequence[TaskRow], runs: Sequence[EntrantRow], rows: Sequence[ResultRow]
) -> list[tuple[EntrantRow, ResultMatrix]]:
    """The first run of each entry, with the results of all its runs."""
    runs_of: Mapping[str, list[EntrantRow]] = defaultdict(list)
    for run in runs:
        if run.role == "entry":
            runs_of[run.configuration].append(run)
    ids = {run.id for found in runs_of.values() for run in found}
    values = {
        (row.run_id, row.task_id): values_of(row, row.run_id, obstacle_of(row)) for row in rows if row.run_id in ids
    }
    return [
        (found[0], ResultMatrix.from_rows([[values.get((run.id, task.id)) for run in found] for task in tasks]))
        for found in runs_of.values()
    ]


def _ranked(
    entries: Sequence[tuple[EntrantRow, ResultMatrix]], has_speed: bool, spread: CardSpread | None
) -> tuple[Place, ...]:
    complete = [(run, matrix) for run, matrix in entries if matrix.is_complete]
    by: RankedBy = "usable_speedup" if has_speed else "correctness"
    ranks, intervals = ranking([matrix for _, matrix in complete], by, spread)
    found = [
        Place(
            rank=rank,
            is_separable=None if isinstance(intervals, str) else intervals[index].is_separable,
            configuration=run.configuration,
            agent=run.agent,
            model=run.model,
            usable_speedup=usable_ratio(matrix) if has_speed else None,
            correct=int(matrix.correct.sum()),
            of=matrix.correct.size,
        )
        for index, (rank, (run, matrix)) in enumerate(zip(ranks, complete, strict=True))
    ]
    return tuple(sorted(found, key=lambda one: (one.rank, entry_name(one.agent, one.model), one.configuration)))
