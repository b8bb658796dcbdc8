"""Medians of code quality over the correct results of a board's entries, of all tasks and by type of operator.

Python and HIP are measured by two tools, so no median is over both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.tasks.spec import CATEGORIES
from leaderboard.pages.board.board import Board
from leaderboard.pages.board.operators import OTHER
from leaderboard.pages.board.standings import Entry
from leaderboard.pages.quality.parts import CodeQuality, Medians, medians, quality_of
from leaderboard.queries.boards import TaskRow

Stored = Mapping[int, dict[str, Any] | None]


@dataclass(frozen=True, slots=True)
class EntryQuality:
    """An entry's correct results in one language, on tasks of one type where `operator` names one.

    `measured` of the `correct` ones have figures.
    """

    configuration: str
    agent: str
    model: str | None
    role: str
    rank: int | None
    language: str  # of candidates: hip or triton
    operator: str | None
    correct: int
    measured: int
    kernel: Medians | None
    host: Medians | None


def of_entries(board: Board, entries: Sequence[Entry], stored: Stored) -> tuple[EntryQuality, ...]:
    """One for each entry and language, in the order of the entries, over all tasks that the filter leaves."""
    groups = {task.path: (_language(task), None) for task in board.tasks}
    return _grouped(board, entries, stored, groups)


def by_operator(board: Board, entries: Sequence[Entry], stored: Stored) -> tuple[EntryQuality, ...]:
    """Each type in the order of the alphabet, in it each entry and language; empty if all tasks are of one type."""
    groups = {task.path: (_language(task), task.operator or OTHER) for task in board.tasks}
    return _grouped(board, entries, stored, groups) if len({name for _, name in groups.values()}) > 1 else ()


def _grouped(
    board: Board, entries: Sequence[Entry], stored: Stored, groups: Mapping[str, tuple[str, str | None]]
) -> tuple[EntryQuality, ...]:
    """`groups`: the language and the type of each task."""
    found: dict[tuple[str, tuple[str, str | None]], list[CodeQuality | None]] = defaultdict(list)
    for one in board.standings.results:
        if one.correct and one.obstacle is None and one.result is not None:
            found[one.configuration, groups[one.task]].append(quality_of(stored.get(one.result)))
    names = sorted({name or "" for _, name in groups.values()})
    languages = sorted({language for language, _ in groups.values()})
    return tuple(
        _quality(entry, language, name or None, found[entry.configuration, (language, name or None)])
        for name in names
        for entry in entries
        for language in languages
        if (language, name or None) in groups.values()
    )


def _quality(entry: Entry, language: str, operator: str | None, found: Sequence[CodeQuality | None]) -> EntryQuality:
    measured = [one for one in found if one is not None and one.not_measured_because is None]
    return EntryQuality(
        configuration=entry.configuration,
        agent=entry.agent,
        model=entry.model,
        role=entry.role,
        rank=entry.rank,
        language=language,
        operator=operator,
        correct=len(found),
        measured=len(measured),
        kernel=medians(measured, "kernel"),
        host=medians(measured, "host"),
    )


def _language(task: TaskRow) -> str:
    return CATEGORIES[task.category].language
