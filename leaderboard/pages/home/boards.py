"""Every board with its leaders, cached until something public changes: of the current suites on each device class.

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
from evaluator.tasks.cards import known_between_cards
from leaderboard.pages.base import board_url
from leaderboard.pages.board.places import Place, places
from leaderboard.queries import suite_boards as queries
from leaderboard.queries.boards import ResultRow, TaskRow, takes_part
from leaderboard.queries.revision import revision
from leaderboard.queries.suite_boards import EntrantRow, SuiteBoardsRow
from leaderboard.words import ALL, CATEGORIES, suite_name

CACHE_S = 600  # computed again after this time at the latest
TOP = 3


@dataclass(frozen=True, slots=True)
class Leader:
    """The entry of rank 1 in a category; of several the first by name."""

    configuration: str
    agent: str
    model: str | None
    usable_speedup: float | None  # None where entries are ranked by correctness
    correct: int
    of: int
    equal: int  # number of other entries of rank 1
    not_separable: int  # number of entries not significantly worse than the first


@dataclass(frozen=True, slots=True)
class TopEntry:
    """One of the first entries over all categories."""

    configuration: str
    agent: str
    model: str | None
    places: dict[str, Place]  # by category, all among them; without those in which it is not ranked


@dataclass(frozen=True, slots=True)
class SuiteBoards:
    """The boards of a suite on a device class, one for each category, with their leaders."""

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
    leaders: dict[str, Leader]  # by category, without those in which no entry is ranked
    top: tuple[TopEntry, ...]

    @property
    def title(self) -> str:
        return board_title(self.suite_title, self.suite, self.device_title)

    @property
    def is_past(self) -> bool:
        """Whether it shows an earlier protocol, because nothing under the current one is public."""
        return self.protocol != PROTOCOL


def board_title(suite_title: str, suite: str, device_title: str) -> str:
    return f"{suite_name(suite_title, suite)} on {device_title}"


def current_boards() -> list[SuiteBoardsRow]:
    """The boards alone, without who stands on them."""
    return _shown(queries.public_runs())


def main_board(found: Sequence[SuiteBoards]) -> SuiteBoards | None:
    """The board that says most: with speeds, of today, with ranked entries, over the most tasks; None without one."""

    def weight(one: SuiteBoards) -> tuple[bool | int, ...]:
        leader = one.leaders.get(ALL)
        has_speed = leader is not None and leader.usable_speedup is not None
        return has_speed, not one.is_functional, not one.is_past, leader is not None, one.tasks[ALL], one.entries

    return max(found, key=weight, default=None)


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


def _shown(runs: Mapping[SuiteBoardsRow, Sequence[EntrantRow]]) -> list[SuiteBoardsRow]:
    """One row of each suite and device class, in the order of the rows."""
    found: dict[tuple[int, str], list[SuiteBoardsRow]] = {}
    for row in runs:
        found.setdefault((row.suite_id, row.device), []).append(row)
    return [
        max(rows, key=lambda row: (row.protocol == PROTOCOL, max(run.published_at for run in runs[row])))
        for rows in found.values()
    ]


def _boards_of(
    row: SuiteBoardsRow, tasks: Sequence[TaskRow], runs: Sequence[EntrantRow], results: Sequence[ResultRow]
) -> SuiteBoards:
    runs = [run for run in runs if takes_part(run, tasks)]
    between = known_between_cards(row.device, row.protocol)
    found = places(tasks, runs, results, is_functional=row.is_functional, between=between)
    sizes = Counter(task.category for task in tasks)
    counts = {ALL: len(tasks)} | {slug: sizes[slug] for slug in CATEGORIES if slug in sizes}
    roles = {run.configuration: run.role for run in runs}
    entries = sum(role == "entry" for role in roles.values())
    return SuiteBoards(
        suite=row.suite,
        suite_version=row.version,
        suite_title=row.suite_title,
        device_class=row.device,
        device_title=row.device_title,
        is_functional=row.is_functional,
        protocol=row.protocol,
        entries=entries,
        reference_lines=len(roles) - entries,
        boards={
            category: board_url(row.suite, row.version, True, category, row.device, row.protocol) for category in counts
        },
        tasks=counts,
        leaders={category: _leader(ranked) for category, ranked in found.items() if ranked},
        top=tuple(_top_entry(one, found) for one in found.get(ALL, ())[:TOP]),
    )


def _leader(ranked: Sequence[Place]) -> Leader:
    first = ranked[0]
    return Leader(
        configuration=first.configuration,
        agent=first.agent,
        model=first.model,
        usable_speedup=first.usable_speedup,
        correct=first.correct,
        of=first.of,
        equal=sum(one.rank == 1 for one in ranked) - 1,
        not_separable=sum(one.rank > 1 and one.is_separable is False for one in ranked),
    )


def _top_entry(first: Place, found: Mapping[str, Sequence[Place]]) -> TopEntry:
    own = {
        category: one
        for category, ranked in found.items()
        for one in ranked
        if one.configuration == first.configuration
    }
    return TopEntry(first.configuration, first.agent, first.model, own)
