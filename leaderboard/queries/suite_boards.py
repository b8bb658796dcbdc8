"""Boards that have public runs, and everything that the current ones show, in three queries for all of them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from leaderboard.queries.boards import TASK, WERE_PUBLIC, ResultRow, TaskRow, rows_by, task_row
from runs.models import Result, Run, SuiteMembership


class SuiteBoardsRow(NamedTuple):
    """A current suite on a device class that has public runs under one protocol."""

    suite_id: int
    suite: str
    version: int
    suite_title: str
    device: str
    device_title: str
    is_functional: bool
    protocol: str


class EntrantRow(NamedTuple):
    """A public run, as far as ranks need it."""

    id: int
    configuration: str
    role: str
    agent: str
    model: str | None
    agent_slug: str
    agent_kind: str
    published_at: datetime


_SUITE_AND_DEVICE = (
    *("suite_id", "suite__name", "suite__version", "suite__title"),
    *("device_class__slug", "device_class__title", "device_class__is_functional"),
    "protocol",
)
_ENTRANT = (
    *("id", "configuration__slug", "configuration__role", "configuration__agent__name"),
    *("configuration__model__name", "configuration__agent__slug", "configuration__agent__kind", "published_at"),
)


class PublicBoardRow(NamedTuple):
    suite: str
    version: int
    device: str
    protocol: str


def with_public_runs() -> list[PublicBoardRow]:
    """Boards that have public runs, of any version and protocol."""
    rows = Run.objects.public().order_by("suite__name", "suite__version", "device_class__slug", "protocol")
    found = rows.values_list("suite__name", "suite__version", "device_class__slug", "protocol").distinct()
    return [PublicBoardRow(*row) for row in found]


def public_runs() -> dict[SuiteBoardsRow, list[EntrantRow]]:
    """Public runs by current suite, device class and protocol; those with a device clock first, then by name."""
    rows = (
        Run.objects.public()
        .filter(suite__is_current=True)
        .order_by(
            *("device_class__is_functional", "suite__name", "device_class__slug", "configuration__slug", "repeat"),
        )
    )
    found: dict[SuiteBoardsRow, list[EntrantRow]] = {}
    for row in rows.values_list(*_SUITE_AND_DEVICE, *_ENTRANT):
        board, run = SuiteBoardsRow(*row[: len(_SUITE_AND_DEVICE)]), EntrantRow(*row[len(_SUITE_AND_DEVICE) :])
        found.setdefault(board, []).append(run)
    return found


def tasks() -> dict[int, list[TaskRow]]:
    """Tasks of each current suite, by the suite's id."""
    rows = SuiteMembership.objects.filter(suite__is_current=True).order_by("suite_id", "task__category", "task__path")
    found: dict[int, list[TaskRow]] = {}
    for suite_id, *values in rows.values_list("suite_id", *(f"task__{name}" for name in TASK)):
        found.setdefault(suite_id, []).append(task_row(values))
    return found


def public_results(protocols: Collection[str]) -> dict[tuple[int, str, str], list[ResultRow]]:
    """Rows for boards under these protocols, by the current suite's id, device class and protocol."""
    rows = Result.objects.filter(
        run__state__in=WERE_PUBLIC, task__memberships__suite__is_current=True, run__protocol__in=protocols
    )
    return rows_by(rows, "task__memberships__suite_id", "run__device_class__slug", "run__protocol")
