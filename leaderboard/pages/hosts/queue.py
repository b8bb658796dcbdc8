"""The queue: waiting and running attempts, the depth of each queue, and the expected wait of a new attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, duration, plural, seconds
from leaderboard.pages.base import Page, Query, by_slug, count_cell, page_url, task_url
from leaderboard.pages.hosts.facts import is_at_work, notices
from leaderboard.queries import hosts
from leaderboard.queries.hosts import Depth, HostRow, WaitingRow
from leaderboard.tables import Cell, Field, RowGroup, Table, grouped, table, text_field
from leaderboard.words import status_cell

MOST_SHOWN = 100
FORMULA = (
    "Expected wait of a new attempt = (waiting attempts that are not paused × mean duration + remaining time of each "
    "running attempt) / hosts online. The mean duration is that of the queue's newest attempts. The remaining time is "
    "the mean duration less the time since the attempt started, at least 0. There is no wait if a host is online and "
    "idle and no attempt waits."
)


@dataclass(frozen=True, slots=True)
class OpenAttempt:
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
class QueueState:
    """The queue of one architecture. `hosts` take attempts and sent a heartbeat within the last minute."""

    architecture: str
    queued: int
    paused: int
    running: int
    hosts: int
    measured: int  # attempts that the mean is over
    mean_s: float | None
    expected_wait_s: float | None  # None if nothing was measured yet or no host is online


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePage(Page):
    queues: tuple[QueueState, ...]
    formula: str
    open_attempts: tuple[OpenAttempt, ...]
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
        lead=f"{plural(total, 'open attempt')}." if total else "The queue is empty.",
        tables=by_slug(_queues_table(queues), _open_table(rows, now, total)),
        queues=queues,
        formula=FORMULA,
        open_attempts=tuple(_open_attempt(row) for row in rows),
        is_idle=not total,
        notices=notices(machines),
    )


def expected_wait(queued: int, left: Sequence[timedelta], at_work: int, mean: timedelta) -> timedelta:
    """The wait by FORMULA; `left` has the remaining time of each running attempt."""
    if not queued and len(left) < at_work:
        return timedelta(0)
    return (queued * mean + sum(left, timedelta(0))) / at_work


def _queues(
    machines: Sequence[HostRow], depths: Mapping[str, Depth], rows: Sequence[WaitingRow], now: datetime
) -> tuple[QueueState, ...]:
    took = hosts.durations()
    names = sorted({row.architecture for row in machines} | depths.keys())
    return tuple(
        _queue(
            name,
            depths.get(name, Depth(0, 0, 0)),
            sum(row.architecture == name and is_at_work(row, now) for row in machines),
            took.get(name, []),
            [now - row.started_at for row in rows if row.architecture == name and row.started_at],
        )
        for name in names
    )


def _queue(name: str, depth: Depth, at_work: int, took: list[timedelta], ages: list[timedelta]) -> QueueState:
    mean = sum(took, timedelta(0)) / len(took) if took else None
    wait = None
    if mean is not None and at_work:
        left = [max(mean - age, timedelta(0)) for age in ages]
        wait = expected_wait(depth.queued, left, at_work, mean).total_seconds()
    return QueueState(
        name,
        *depth,
        hosts=at_work,
        measured=len(took),
        mean_s=mean.total_seconds() if mean is not None else None,
        expected_wait_s=wait,
    )


def _queues_table(queues: Sequence[QueueState]) -> Table:
    columns: tuple[Field[QueueState], ...] = (
        text_field("architecture", "Queue", lambda queue: queue.architecture, is_code=True),
        Field("queued", "Waiting", lambda queue: count_cell(queue.queued), is_number=True),
        Field("paused", "Paused", lambda queue: count_cell(queue.paused), is_number=True),
        Field("running", "Running", lambda queue: count_cell(queue.running), is_number=True),
        Field("hosts", "Hosts online", _hosts_cell, is_number=True),
        Field(
            "mean_s",
            "Mean duration",
            lambda queue: _time_cell(queue.mean_s, f"of {plural(queue.measured, 'attempt')}"),
            is_number=True,
        ),
        Field("expected_wait_s", "Expected wait", lambda queue: _time_cell(queue.expected_wait_s), is_number=True),
    )
    empty = "No host evaluates here yet. `make up` registers the machine that it runs on."
    return table("queues", "Queues, one for each architecture", columns, queues, empty)


def _hosts_cell(queue: QueueState) -> Cell:
    stuck = "no host serves this queue: start a worker, enable a host, or lift a quarantine"
    return Cell(str(queue.hosts), queue.hosts, note=stuck if queue.queued and not queue.hosts else "")


def _time_cell(value: float | None, note: str = "") -> Cell:
    if value is None:
        return Cell(NONE)
    return Cell(seconds(value) if value else "none", round(value, 3), note=note)


def _open_table(rows: Sequence[WaitingRow], now: datetime, total: int) -> Table:
    columns: tuple[Field[WaitingRow], ...] = (
        Field("task", "Task", lambda row: Cell(row.task.rpartition("/")[2], row.task, task_url(row.task))),
        Field("status", "Status", _open_status_cell),
        text_field("configuration", "Configuration", lambda row: row.configuration),
        Field("run", "Run", lambda row: Cell(str(row.run_id), row.run_id, page_url("run", row.run_id)), is_number=True),
        text_field("device_class", "Device class", lambda row: row.device, is_code=True),
        Field("since", "Since", lambda row: _since_cell(row, now), is_number=True),
        Field("host", "Host", lambda row: Cell(row.host or NONE, row.host)),
    )
    caption = f"The first {MOST_SHOWN} of {total} open attempts" if total > len(rows) else "Open attempts"
    groups = (
        RowGroup(tuple(row for row in rows if row.status == "running"), "Running"),
        RowGroup(tuple(row for row in rows if row.status == "queued"), "Queued, in order"),
    )
    return grouped("open", caption, columns, groups, "Nothing waits: whatever is submitted now is evaluated next.")


def _open_status_cell(row: WaitingRow) -> Cell:
    note = "queued again after its worker was lost" if row.requeues else ""
    if row.is_paused:
        note = "its run is paused, so no worker takes it"
    return status_cell(row.status, page_url("result", row.result_id), note)


def _since_cell(row: WaitingRow, now: datetime) -> Cell:
    since = row.started_at if row.status == "running" and row.started_at else row.queued_at
    return Cell(duration(now - since), since.isoformat())


def _open_attempt(row: WaitingRow) -> OpenAttempt:
    return OpenAttempt(
        result=row.result_id,
        attempt=row.number,
        status=row.status,
        is_paused=row.is_paused,
        task=row.task,
        run=row.run_id,
        configuration=row.configuration,
        device_class=row.device,
        queued_at=row.queued_at,
        started_at=row.started_at,
        heartbeat_at=row.heartbeat_at,
        host=row.host,
        requeues=row.requeues,
    )
