"""The queue: what waits and runs, how deep each queue is, and how long a new attempt is likely to wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, duration, plural, seconds
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, page_url, task_url
from leaderboard.pages.hosts import screen
from leaderboard.queries import hosts
from leaderboard.queries.hosts import Depth, HostRow, WaitingRow
from leaderboard.tables import Cell, Column, RowGroup, Table, table
from leaderboard.words import status_cell

MOST_SHOWN = 100
FORMULA = (
    "Expected wait of a new attempt = (what waits and is not paused × the mean + what is left of each that runs) / "
    "hosts at work, where the mean is over what the newest attempts of the queue took, and what is left is the mean "
    "less the time since the claim, at least 0. While a host at work is idle and nothing waits, it is none."
)


@dataclass(frozen=True, slots=True)
class Waiting:
    result: int
    attempt: int
    status: str
    is_paused: bool
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
    """A queue is named after an architecture. `hosts` take work and gave a sign of life within the last minute."""

    architecture: str
    queued: int
    paused: int
    running: int
    hosts: int
    measured: int  # attempts that the mean is over
    mean_s: float | None
    expected_wait_s: float | None  # None: nothing was measured yet, or nobody is at work


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePage(Page):
    queues: tuple[QueueLine, ...]
    formula: str
    open_attempts: tuple[Waiting, ...]
    is_idle: bool
    notices: tuple[str, ...] = field(metadata=SCREEN)  # what a maintainer has to do


def build(query: Query) -> QueuePage:
    now = datetime.now(UTC)
    machines, rows = hosts.hosts(), hosts.open_attempts(MOST_SHOWN)
    depths = hosts.depths()
    queues = _queues(machines, depths, rows, now)
    total = sum(sum(depth) for depth in depths.values())
    return QueuePage(
        title="Queue",
        lead=f"{plural(total, 'attempt')} open." if total else "Nothing waits.",
        crumbs=(Link("ArenaBoard", "/"),),
        tables=by_slug(_queues_table(queues), _open_table(rows, now, total)),
        queues=queues,
        formula=FORMULA,
        open_attempts=tuple(_waiting(row) for row in rows),
        is_idle=not total,
        notices=screen.notices(machines),
    )


def expected_wait(queued: int, left: Sequence[timedelta], at_work: int, mean: timedelta) -> timedelta:
    """FORMULA; `left` holds what is left of each that runs."""
    if not queued and len(left) < at_work:
        return timedelta(0)
    return (queued * mean + sum(left, timedelta(0))) / at_work


def _queues(
    machines: Sequence[HostRow], depths: Mapping[str, Depth], rows: Sequence[WaitingRow], now: datetime
) -> tuple[QueueLine, ...]:
    took = hosts.durations()
    names = sorted({row.architecture for row in machines} | depths.keys())
    return tuple(
        _queue(
            name,
            depths.get(name, Depth(0, 0, 0)),
            sum(row.architecture == name and screen.is_at_work(row, now) for row in machines),
            took.get(name, []),
            [now - row.started_at for row in rows if row.architecture == name and row.started_at],
        )
        for name in names
    )


def _queue(name: str, depth: Depth, at_work: int, took: list[timedelta], ages: list[timedelta]) -> QueueLine:
    mean = sum(took, timedelta(0)) / len(took) if took else None
    wait = None
    if mean is not None and at_work:
        left = [max(mean - age, timedelta(0)) for age in ages]
        wait = expected_wait(depth.queued, left, at_work, mean).total_seconds()
    return QueueLine(
        name,
        *depth,
        hosts=at_work,
        measured=len(took),
        mean_s=mean.total_seconds() if mean is not None else None,
        expected_wait_s=wait,
    )


def _queues_table(queues: Sequence[QueueLine]) -> Table:
    columns = (
        Column("architecture", "Queue", is_code=True),
        Column("queued", "Waiting", is_number=True),
        Column("paused", "Paused", is_number=True),
        Column("running", "Running", is_number=True),
        Column("hosts", "Hosts at work", is_number=True),
        Column("mean_s", "Mean duration", is_number=True),
        Column("expected_wait_s", "Expected wait", is_number=True),
    )
    rows = [_queue_cells(queue) for queue in queues]
    return table("queues", "One queue for each architecture", columns, rows, "No host is registered yet.")


def _queue_cells(queue: QueueLine) -> tuple[Cell, ...]:
    stuck = "nobody works this queue off: start a worker, enable a host, or lift a quarantine"
    return (
        Cell(queue.architecture, queue.architecture),
        *(count_cell(number) for number in (queue.queued, queue.paused, queue.running)),
        Cell(str(queue.hosts), queue.hosts, note=stuck if queue.queued and not queue.hosts else ""),
        _time_cell(queue.mean_s, f"of {plural(queue.measured, 'attempt')}"),
        _time_cell(queue.expected_wait_s),
    )


def _time_cell(value: float | None, note: str = "") -> Cell:
    if value is None:
        return Cell(NONE)
    return Cell(seconds(value) if value else "none", round(value, 3), note=note)


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
        RowGroup(tuple(_open_cells(row, now) for row in rows if row.status == "running"), "Running"),
        RowGroup(tuple(_open_cells(row, now) for row in rows if row.status == "queued"), "Queued, in order"),
    )
    return Table("open", shown, columns, groups, "The queue is empty. New runs start in the admin.")


def _open_cells(row: WaitingRow, now: datetime) -> tuple[Cell, ...]:
    since = row.started_at if row.status == "running" and row.started_at else row.queued_at
    note = "queued again after a worker was lost" if row.requeues else ""
    if row.is_paused:
        note = "its run is paused: no worker takes it"
    return (
        Cell(row.task.rpartition("/")[2], row.task, task_url(row.task)),
        status_cell(row.status, page_url("result", row.result_id), note),
        Cell(row.configuration, row.configuration),
        Cell(str(row.run_id), row.run_id, page_url("run", row.run_id)),
        Cell(row.device, row.device),
        Cell(duration(now - since), since.isoformat()),
        Cell(row.host or NONE, row.host),
    )


def _waiting(row: WaitingRow) -> Waiting:
    return Waiting(
        row.result_id,
        row.number,
        row.status,
        row.is_paused,
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
