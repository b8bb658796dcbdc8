"""Medians of code quality over the correct results of a board's entries, of all tasks and by type of operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.pages.board.board import Board
from leaderboard.pages.board.operators import OTHER
from leaderboard.pages.board.standings import Entry
from leaderboard.pages.quality.parts import CodeQuality, Medians, medians, quality_of

Stored = Mapping[int, dict[str, Any] | None]


@dataclass(frozen=True, slots=True)
class EntryQuality:
    """An entry's correct results, on tasks of one type where `operator` names one. `measured` of them have figures."""

    configuration: str
    agent: str
    model: str | None
    role: str
    rank: int | None
    operator: str | None
    correct: int
    measured: int
    kernel: Medians | None
    host: Medians | None


def of_entries(board: Board, entries: Sequence[Entry], stored: Stored) -> tuple[EntryQuality, ...]:
    """One for each entry, in their order, over all tasks that the filter leaves."""
    found = _by_entry(board, stored)
    return tuple(_quality(entry, None, [one for _, one in found.get(entry.configuration, ())]) for entry in entries)


def by_operator(board: Board, entries: Sequence[Entry], stored: Stored) -> tuple[EntryQuality, ...]:
    """Each type in the order of the alphabet, in it each entry; empty if the tasks are of one type only."""
    names = sorted({task.operator or OTHER for task in board.tasks})
    if len(names) < 2:
        return ()
    found = _by_entry(board, stored)
    return tuple(
        _quality(entry, name, [one for own, one in found.get(entry.configuration, ()) if own == name])
        for name in names
        for entry in entries
    )


def _by_entry(board: Board, stored: Stored) -> dict[str, list[tuple[str, CodeQuality | None]]]:
    """By configuration the type of operator and the figures of each correct result that counts."""
    operators = {task.path: task.operator or OTHER for task in board.tasks}
    found: dict[str, list[tuple[str, CodeQuality | None]]] = {}
    for one in board.standings.results:
        if one.correct and one.obstacle is None and one.result is not None:
            own = found.setdefault(one.configuration, [])
            own.append((operators[one.task], quality_of(stored.get(one.result))))
    return found


def _quality(entry: Entry, operator: str | None, found: Sequence[CodeQuality | None]) -> EntryQuality:
    measured = [one for one in found if one is not None and one.not_measured_because is None]
    return EntryQuality(
        configuration=entry.configuration,
        agent=entry.agent,
        model=entry.model,
        role=entry.role,
        rank=entry.rank,
        operator=operator,
        correct=len(found),
        measured=len(measured),
        kernel=medians(measured, "kernel"),
        host=medians(measured, "host"),
    )
