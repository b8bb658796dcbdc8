"""The queue and the hosts: what waits, what runs, and who works it off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, duration, plural
from leaderboard.pages import queue_hosts
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url, task_url
from leaderboard.pages.queue_hosts import HostLine
from leaderboard.queries import hosts
from leaderboard.queries.hosts import HostRow, WaitingRow
from leaderboard.tables import Cell, Column, Group, Table, table
from leaderboard.words import status_cell

MOST_SHOWN = 100


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
class QueueLine:
    """A queue is named after an architecture."""

    architecture: str
    queued: int
    running: int
    hosts: int  # that take work


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePage(Page):
    queues: tuple[QueueLine, ...]
    open_attempts: tuple[Waiting, ...]
    hosts: tuple[HostLine, ...]
    is_idle: bool
    notices: tuple[str, ...] = field(metadata=SCREEN)  # what a maintainer has to do


def build(query: Query) -> QueuePage:
    now = datetime.now(UTC)
    machines, counts, rows = hosts.hosts(), hosts.open_counts(), hosts.open_attempts(MOST_SHOWN)
    queues = _queues(machines, counts)
    total = sum(counts.values())
    return QueuePage(
        title="Queue and hosts",
        lead=f"{plural(total, 'attempt')} open." if total else "Nothing waits.",
        crumbs=(Link("ArenaBoard", "/"),),
        tables=by_slug(
            _queues_table(queues),
            _open_table(rows, now, total),
            queue_hosts.hosts_table(machines, now),
            queue_hosts.noise_table(machines),
        ),
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
        hosts=tuple(queue_hosts.host_line(row) for row in machines),
        is_idle=not total,
        notices=queue_hosts.notices(machines),
    )


def _queues(machines: Sequence[HostRow], counts: dict[tuple[str, str], int]) -> tuple[QueueLine, ...]:
    names = sorted({row.architecture for row in machines} | {architecture for architecture, _ in counts})
    return tuple(
        QueueLine(
            name,
            counts.get((name, "queued"), 0),
            counts.get((name, "running"), 0),
            sum(row.architecture == name and row.may_claim for row in machines),
        )
        for name in names
    )


def _queues_table(queues: Sequence[QueueLine]) -> Table:
    columns = (
        Column("architecture", "Queue", is_code=True),
        Column("queued", "Queued", is_number=True),
        Column("running", "Running", is_number=True),
        Column("hosts", "Hosts that take work", is_number=True),
    )
    rows = []
    for queue in queues:
        stuck = queue.queued and not queue.hosts
        note = "nobody works this queue off: enable a host, or lift a quarantine" if stuck else ""
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
