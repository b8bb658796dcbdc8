"""Published results of a task: each configuration on each device class, and the best known kernel over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from statistics import fmean

from leaderboard.charts import Chart, Point, Series, ratio_dots
from leaderboard.eligibility import is_correct, may_count
from leaderboard.formatting import NONE, factor, moment, rate, times
from leaderboard.pages.base import entry_fields, entry_name, moment_cell, page_url, protocol_parameter
from leaderboard.queries.task_results import PublicResultRow
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, hidden, table
from leaderboard.words import role_note


@dataclass(frozen=True, slots=True)
class TaskEntry:
    """A configuration's published runs on a device class and protocol. Speedups are those of results that may rank."""

    configuration: str
    name: str
    role: str
    device_class: str
    protocol: str
    runs: int
    compiled: int
    correct: int
    log_speedup: float | None  # mean over runs that have one
    timed_runs: int
    best_log_speedup: float | None
    best_result: int  # the fastest result, else the newest

    @property
    def place(self) -> str:
        return place(self.device_class, self.protocol)


@dataclass(frozen=True, slots=True)
class BestKnown:
    """A kernel of an entry that was faster than every published one before it on its device class and protocol."""

    device_class: str
    device_title: str
    protocol: str
    since: datetime  # when its run was published
    configuration: str
    name: str
    result: int
    log_speedup: float
    log_speedup_low: float | None
    log_speedup_high: float | None

    @property
    def place(self) -> str:
        return place(self.device_class, self.protocol)


def place(device_class: str, protocol: str) -> str:
    """A device class with the protocol, if that is not the current one: only results of one place are compared."""
    past = protocol_parameter(protocol)
    return f"{device_class}, {past}" if past else device_class


def entries(rows: Sequence[PublicResultRow]) -> tuple[TaskEntry, ...]:
    """Group results by configuration, device class and protocol.

    In each device class the current protocol comes first, and within a protocol the fastest; those untimed come last.
    """
    ordered = sorted(rows, key=_whose)
    found = [_entry(list(own)) for _, own in groupby(ordered, key=_whose)]
    return tuple(sorted(found, key=_by_speed))


def best_known(rows: Sequence[PublicResultRow]) -> tuple[BestKnown, ...]:
    """Return the successive best kernels by device class and protocol, oldest first."""
    counted = [row for row in rows if row.role == "entry" and row.log_speedup is not None and may_count(row)]
    found: list[BestKnown] = []
    for _, own in groupby(sorted(counted, key=_where), key=_where):
        best: float | None = None
        for row in own:
            if row.log_speedup is not None and (best is None or row.log_speedup > best):
                best = row.log_speedup
                found.append(_best(row, best))
    return tuple(found)


def fastest(found: Sequence[BestKnown]) -> tuple[tuple[str, str], ...]:
    """What the best kernel on each device class and protocol reaches, as text, with the address of its result."""
    last = {one.place: one for one in found}
    return tuple(
        (f"{times(one.log_speedup)} on {_where_text(one)}, {one.name}", page_url("result", one.result))
        for one in last.values()
    )


def entries_table(found: Sequence[TaskEntry]) -> Table:
    columns: tuple[Field[TaskEntry], ...] = fields(
        entry_fields(lambda one: one.name, lambda one: one.configuration, lambda one: role_note(one.role)),
        Field("device_class", "Device class", lambda one: Cell(one.place, one.device_class), is_code=True),
        hidden("protocol", lambda one: one.protocol),
        Field("correct", "Correct", lambda one: Cell(rate(one.correct, one.runs), one.correct), is_number=True),
        Field("compiled", "Compiled", lambda one: Cell(rate(one.compiled, one.runs), one.compiled), is_number=True),
        hidden("runs", lambda one: one.runs),
        hidden("log_speedup", lambda one: one.log_speedup),
        Field("speedup", "Speedup", lambda one: _speedup_cell(one.log_speedup), is_number=True),
        Field("best_speedup", "Best run", _best_cell, is_number=True),
    )
    caption = "All configurations with published results, by device class, fastest first"
    return table("configurations", caption, columns, found, "No published results for this task yet.")


def best_table(found: Sequence[BestKnown]) -> Table:
    columns: tuple[Field[BestKnown], ...] = fields(
        Field("since", "Since", lambda one: moment_cell(one.since)),
        entry_fields(lambda one: one.name, lambda one: one.configuration),
        Field("speedup", "Speedup", lambda one: _speedup_cell(one.log_speedup), is_number=True),
        hidden("low", lambda one: _factor(one.log_speedup_low)),
        hidden("high", lambda one: _factor(one.log_speedup_high)),
        Field("result", "Kernel", lambda one: Cell(f"Result {one.result}", one.result, page_url("result", one.result))),
        hidden("device_class", lambda one: one.device_class),
        hidden("protocol", lambda one: one.protocol),
    )
    places = [tuple(own) for _, own in groupby(found, key=lambda one: one.place)]
    groups = [RowGroup(own[::-1], own[0].device_title, own[0].place) for own in places]
    caption = "Best known kernels of entries on each device class, newest first"
    empty = (
        "No entry has a published speedup yet. It takes a correct result on an accepted host whose device has a clock."
    )
    return grouped("best", caption, columns, groups, empty)


def charts(found: Sequence[BestKnown]) -> dict[str, Chart]:
    if not found:
        return {}
    chart = ratio_dots(
        "best",
        "The best known kernel over time",
        "A row for each kernel that was faster than every published one before it, oldest first, with its speedup "
        "over the baseline and the confidence interval.",
        "times as fast as the baseline",
        (Series("usable", "speedup, 95 % interval"),),
        [(one.name, f"{moment(one.since)}, {one.place}", [_point(one)]) for one in found],
    )
    return {chart.slug: chart}


def _where_text(one: BestKnown) -> str:
    past = protocol_parameter(one.protocol)
    return f"{one.device_title} under {past}" if past else one.device_title


def _where(row: PublicResultRow) -> tuple[str, str]:
    """The sort key by device class, then the current protocol before others."""
    return row.device, protocol_parameter(row.run_protocol)


def _whose(row: PublicResultRow) -> tuple[str, str, str]:
    return *_where(row), row.configuration


def _by_speed(one: TaskEntry) -> tuple[str, str, bool, float, int, str]:
    where = one.device_class, protocol_parameter(one.protocol)
    return *where, one.log_speedup is None, -(one.log_speedup or 0.0), -one.correct, one.configuration


def _entry(rows: Sequence[PublicResultRow]) -> TaskEntry:
    first = rows[0]
    timed = [(row.log_speedup, row.result_id) for row in rows if row.log_speedup is not None and may_count(row)]
    best = max(timed, default=(None, rows[-1].result_id))
    return TaskEntry(
        first.configuration,
        entry_name(first.agent, first.model),
        first.role,
        first.device,
        first.run_protocol,
        len(rows),
        sum(bool(row.compiled) for row in rows),
        sum(is_correct(row.correct, row.audit) for row in rows),
        fmean(log for log, _ in timed) if timed else None,
        len(timed),
        best[0],
        best[1],
    )


def _best(row: PublicResultRow, log_speedup: float) -> BestKnown:
    name = entry_name(row.agent, row.model)
    about = (row.published_at, row.configuration, name, row.result_id)
    return BestKnown(
        row.device, row.device_title, row.run_protocol, *about, log_speedup, row.log_speedup_low, row.log_speedup_high
    )


def _speedup_cell(log_speedup: float | None) -> Cell:
    return Cell(NONE) if log_speedup is None else Cell(times(log_speedup), factor(log_speedup))


def _best_cell(one: TaskEntry) -> Cell:
    url = page_url("result", one.best_result)
    if one.best_log_speedup is None:
        return Cell("no speedup", None, url)
    return Cell(times(one.best_log_speedup), factor(one.best_log_speedup), url)


def _factor(log_ratio: float | None) -> float | None:
    return None if log_ratio is None else factor(log_ratio)


def _point(one: BestKnown) -> Point:
    low, high = _factor(one.log_speedup_low), _factor(one.log_speedup_high)
    has_ends = low is not None and high is not None
    return Point(factor(one.log_speedup), times(one.log_speedup), *((low, high) if has_ends else ()))
