"""The queue and the hosts: what waits, what runs, and who works it off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from leaderboard.formatting import NONE, duration, plural
from leaderboard.pages.base import Link, Page, Query, by_slug, moment_cell, page_url, task_url
from leaderboard.queries import hosts
from leaderboard.queries.hosts import HostRow, WaitingRow
from leaderboard.tables import Cell, Column, Group, Table, table
from leaderboard.words import status_cell

MOST_SHOWN = 100
SILENT_AFTER = timedelta(seconds=60)  # an idle worker gives a sign of life more often than that


@dataclass(frozen=True, slots=True)
class Waiting:
    result: int
    attempt: int
    status: str
    task: str
    run: int
    configuration: str
    device_class: str
    queued_at: datetime
    started_at: datetime | None
    heartbeat_at: datetime | None
    host: str | None
    requeues: int


@dataclass(frozen=True, slots=True)
class HostLine:
    name: str
    device_class: str
    architecture: str
    is_enabled: bool
    is_accepted: bool | None
    seen_at: datetime | None
    started_at: datetime | None
    running: int
    ended: int
    facts: dict[str, Any]
    note: str


@dataclass(frozen=True, slots=True)
class QueueLine:
    """A queue is named after an architecture."""

    architecture: str
    queued: int
    running: int
    hosts: int  # enabled


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePage(Page):
    queues: tuple[QueueLine, ...]
    open_attempts: tuple[Waiting, ...]
    hosts: tuple[HostLine, ...]
    is_idle: bool


def build(query: Query) -> QueuePage:
    now = datetime.now(UTC)
    machines, counts, rows = hosts.hosts(), hosts.open_counts(), hosts.open_attempts(MOST_SHOWN)
    queues = _queues(machines, counts)
    total = sum(counts.values())
    return QueuePage(
        title="Queue and hosts",
        lead=f"{plural(total, 'attempt')} open." if total else "Nothing waits.",
        crumbs=(Link("ArenaBoard", "/"),),
        tables=by_slug(_queues_table(queues), _open_table(rows, now, total), _hosts_table(machines, now)),
        queues=queues,
        open_attempts=tuple(
            Waiting(
                row.result_id,
                row.number,
                row.status,
                row.task,
                row.run_id,
                row.configuration,
                row.device,
                row.queued_at,
                row.started_at,
                row.heartbeat_at,
                row.host,
                row.requeues,
            )
            for row in rows
        ),
        hosts=tuple(
            HostLine(
                row.name,
                row.device,
                row.architecture,
                row.is_enabled,
                row.is_accepted,
                row.seen_at,
                row.started_at,
                row.running,
                row.ended,
                row.facts,
                row.note,
            )
            for row in machines
        ),
        is_idle=not total,
    )


def _queues(machines: Sequence[HostRow], counts: dict[tuple[str, str], int]) -> tuple[QueueLine, ...]:
    names = sorted({row.architecture for row in machines} | {architecture for architecture, _ in counts})
    return tuple(
        QueueLine(
            name,
            counts.get((name, "queued"), 0),
            counts.get((name, "running"), 0),
            sum(row.architecture == name and row.is_enabled for row in machines),
        )
        for name in names
    )


def _queues_table(queues: Sequence[QueueLine]) -> Table:
    columns = (
        Column("architecture", "Queue", is_code=True),
        Column("queued", "Queued", is_number=True),
        Column("running", "Running", is_number=True),
        Column("hosts", "Enabled hosts", is_number=True),
    )
    rows = []
    for queue in queues:
        stuck = queue.queued and not queue.hosts
        note = "nobody works this queue off: enable a host" if stuck else ""
        numbers = (Cell(str(value), value) for value in (queue.queued, queue.running))
        hosts_cell = Cell(str(queue.hosts), queue.hosts, note=note)
        rows.append((Cell(queue.architecture, queue.architecture), *numbers, hosts_cell))
    return table("queues", "One queue for each architecture", columns, rows, "No host is registered yet.")


def _open_table(rows: Sequence[WaitingRow], now: datetime, total: int) -> Table:
    columns = (
        Column("task", "Task"),
        Column("status", "Status"),
        Column("configuration", "Configuration"),
        Column("run", "Run", is_number=True),
        Column("device_class", "Device class", is_code=True),
        Column("since", "Since", is_number=True),
        Column("host", "Host"),
    )
    shown = f"The first {MOST_SHOWN} of {total} open attempts" if total > len(rows) else "Open attempts"
    groups = (
        Group(tuple(_open_cells(row, now) for row in rows if row.status == "running"), "Running"),
        Group(tuple(_open_cells(row, now) for row in rows if row.status == "queued"), "Queued, in order"),
    )
    return Table("open", shown, columns, groups, "The queue is empty. New runs start in the admin.")


def _open_cells(row: WaitingRow, now: datetime) -> tuple[Cell, ...]:
    since = row.started_at if row.status == "running" and row.started_at else row.queued_at
    requeued = "queued again after a worker was lost" if row.requeues else ""
    return (
        Cell(row.task.rpartition("/")[2], row.task, task_url(row.task)),
        status_cell(row.status, page_url("result", row.result_id), requeued),
        Cell(row.configuration, row.configuration),
        Cell(str(row.run_id), row.run_id, page_url("run", row.run_id)),
        Cell(row.device, row.device),
        Cell(duration(now - since), since.isoformat()),
        Cell(row.host or NONE, row.host),
    )


def _hosts_table(machines: Sequence[HostRow], now: datetime) -> Table:
    columns = (
        Column("host", "Host"),
        Column("device_class", "Device class"),
        Column("seen_at", "Last sign of life"),
        Column("started_at", "Worker started"),
        Column("running", "Running", is_number=True),
        Column("ended", "Ended", is_number=True),
        Column("is_accepted", "Acceptance"),
    )
    empty = "No host is registered. `make up` registers this machine; others are added in the admin."
    return table("hosts", "Hosts", columns, [_host_cells(row, now) for row in machines], empty)


def _host_cells(row: HostRow, now: datetime) -> tuple[Cell, ...]:
    return (
        Cell(row.name, row.name, note=row.note or ("" if row.is_enabled else "not enabled: claims nothing")),
        Cell(row.device_title, row.device, note=row.device),
        _sign_of_life(row, now),
        moment_cell(row.started_at),
        Cell(str(row.running), row.running),
        Cell(str(row.ended), row.ended),
        _acceptance(row),
    )


def _sign_of_life(row: HostRow, now: datetime) -> Cell:
    if row.seen_at is None:
        return Cell("never seen", None, tone="ours", mark="○")
    silent = now - row.seen_at > SILENT_AFTER
    text = f"silent for {duration(now - row.seen_at)}" if silent else f"{duration(now - row.seen_at)} ago"
    return Cell(text, row.seen_at.isoformat(), tone="bad" if silent else "good", mark="✕" if silent else "✓")


def _acceptance(row: HostRow) -> Cell:
    if row.is_functional:
        return Cell("not needed", None, note="it times nothing that counts")
    if row.is_accepted is None:
        return Cell("unknown", None, note="`doctor --health` did not run there")
    return (
        Cell("accepted", True, tone="good", mark="✓")
        if row.is_accepted
        else Cell("not accepted", False, tone="bad", mark="✕")
    )
