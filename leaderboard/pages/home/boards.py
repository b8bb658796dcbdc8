"""Every board with its leader, cached until something public changes: of the current suites on each device class.

A board shows the current protocol; where that has no public runs yet, the one whose run was published last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from django.core.cache import cache
from django.db import connection

from evaluator.records.record import PROTOCOL
from leaderboard.pages.base import board_url, entry_name
from leaderboard.pages.board.standings import Entry, Standings, standings
from leaderboard.queries import suite_boards as queries
from leaderboard.queries.boards import ResultRow, RunRow, TaskRow
from leaderboard.queries.revision import revision
from leaderboard.queries.suite_boards import SuiteBoardsRow
from leaderboard.words import ALL, CATEGORIES, suite_name

CACHE_S = 600  # computed again after this time at the latest


@dataclass(frozen=True, slots=True)
class Leader:
    """The entry of rank 1 over all categories; of several the first by name."""

    configuration: str
    agent: str
    model: str | None
    usable_speedup: float | None  # None where entries are ranked by correctness
    correct: int
    of: int
    equal: int  # number of other entries of rank 1
    not_separable: int  # number of entries not significantly worse than the first


@dataclass(frozen=True, slots=True)
class SuiteBoards:
    """The boards of a suite on a device class, one for each category, with the leader over all categories."""

    suite: str
    suite_version: int
    suite_title: str
    device_class: str
    device_title: str
    is_functional: bool
    protocol: str
    entries: int
    reference_lines: int
    boards: dict[str, str]  # category → address
    tasks: dict[str, int]  # category → number of tasks
    leader: Leader | None  # None while no entry is ranked

    @property
    def title(self) -> str:
        return f"{suite_name(self.suite_title, self.suite)} on {self.device_title}"

    @property
    def is_past(self) -> bool:
        """Whether it shows an earlier protocol, because nothing under the current one is public."""
        return self.protocol != PROTOCOL


def suite_boards() -> tuple[SuiteBoards, ...]:
    """Boards of every current suite and device class with public runs.

    Inside a transaction, which may roll back, nothing is cached.
    """
    if connection.in_atomic_block:
        return _suite_boards()
    return cast(tuple[SuiteBoards, ...], cache.get_or_set(f"suite-boards-{revision()}", _suite_boards, CACHE_S))


def _suite_boards() -> tuple[SuiteBoards, ...]:
    tasks, runs = queries.tasks(), queries.public_runs()
    shown = _shown(runs)
    results = queries.public_results({row.protocol for row in shown})
    return tuple(
        _boards_of(
            row, tasks.get(row.suite_id, []), runs[row], results.get((row.suite_id, row.device, row.protocol), [])
        )
        for row in shown
    )


def _shown(runs: Mapping[SuiteBoardsRow, Sequence[RunRow]]) -> list[SuiteBoardsRow]:
    """One row of each suite and device class, in the order of the rows."""
    places: dict[tuple[int, str], list[SuiteBoardsRow]] = {}
    for row in runs:
        places.setdefault((row.suite_id, row.device), []).append(row)
    return [
        max(rows, key=lambda row: (row.protocol == PROTOCOL, max(run.published_at for run in runs[row])))
        for rows in places.values()
    ]


def _boards_of(
    row: SuiteBoardsRow, tasks: Sequence[TaskRow], runs: Sequence[RunRow], results: Sequence[ResultRow]
) -> SuiteBoards:
    runs = [run for run in runs if run.takes_part(tasks)]
    found = standings(tasks, runs, results, is_functional=row.is_functional)
    sizes = Counter(task.category for task in tasks)
    counts = {ALL: len(tasks)} | {slug: sizes[slug] for slug in CATEGORIES if slug in sizes}
    entries = sum(entry.role == "entry" for entry in found.entries)
    return SuiteBoards(
        suite=row.suite,
        suite_version=row.version,
        suite_title=row.suite_title,
        device_class=row.device,
        device_title=row.device_title,
        is_functional=row.is_functional,
        protocol=row.protocol,
        entries=entries,
        reference_lines=len(found.entries) - entries,
        boards={
            category: board_url(row.suite, row.version, True, category, row.device, row.protocol) for category in counts
        },
        tasks=counts,
        leader=_leader(found),
    )


def _leader(found: Standings) -> Leader | None:
    first = sorted((one for one in found.entries if one.rank == 1), key=lambda one: entry_name(one.agent, one.model))
    if not first:
        return None
    leader = first[0]
    speed = leader.usable_speedup if found.ranked_by == "usable_speedup" else None
    return Leader(
        configuration=leader.configuration,
        agent=leader.agent,
        model=leader.model,
        usable_speedup=speed.value if speed else None,
        correct=leader.correctness.count,
        of=leader.correctness.of,
        equal=len(first) - 1,
        not_separable=sum(_may_be_first(entry) for entry in found.entries),
    )


def _may_be_first(entry: Entry) -> bool:
    return bool(entry.rank and entry.rank > 1 and entry.rank_interval and not entry.rank_interval.is_separable)
