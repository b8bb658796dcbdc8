"""Who solved a task how well: each configuration on each device class, and the best known kernel since when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from statistics import fmean

from leaderboard.charts import Chart, Point, Series, ratio_dots
from leaderboard.eligibility import may_count
from leaderboard.formatting import NONE, factor, moment, rate, times
from leaderboard.pages.base import entry_cells, entry_name, moment_cell, page_url
from leaderboard.queries.task_answers import TaskAnswerRow
from leaderboard.tables import Cell, Column, RowGroup, Table, table
from leaderboard.words import role_note


@dataclass(frozen=True, slots=True)
class TaskEntry:
    """Public runs of a configuration on a device class. Speeds only of answers that may count."""

    configuration: str
    name: str
    role: str
    device_class: str
    runs: int
    compiled: int
    correct: int
    log_speedup: float | None  # mean over runs that have one
    timed_runs: int
    best_log_speedup: float | None
    best_result: int  # the fastest answer, else the newest


@dataclass(frozen=True, slots=True)
class BestKnown:
    """A kernel that was faster than every public one before it on its device class; entries only."""

    device_class: str
    device_title: str
    since: datetime  # when its run was published
    configuration: str
    name: str
    result: int
    log_speedup: float
    log_speedup_low: float | None
    log_speedup_high: float | None


def entries(rows: Sequence[TaskAnswerRow]) -> tuple[TaskEntry, ...]:
    """By device class, the fastest first, those without a speed last."""
    ordered = sorted(rows, key=_whose)
    found = [_entry(list(own)) for _, own in groupby(ordered, key=_whose)]
    return tuple(sorted(found, key=_by_speed))


def best_known(rows: Sequence[TaskAnswerRow]) -> tuple[BestKnown, ...]:
    """By device class, oldest first. The first correct kernel with a speed is the first best."""
    counted = [row for row in rows if row.role == "entry" and row.log_speedup is not None and may_count(row)]
    found: list[BestKnown] = []
    for _, own in groupby(sorted(counted, key=lambda row: row.device), key=lambda row: row.device):
        best: float | None = None
        for row in own:
            if row.log_speedup is not None and (best is None or row.log_speedup > best):
                best = row.log_speedup
                found.append(_best(row, best))
    return tuple(found)


def entries_table(found: Sequence[TaskEntry]) -> Table:
    columns = (
        Column("name", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("device_class", "Device class", is_code=True),
        Column("correct", "Right", is_number=True),
        Column("compiled", "Compiled", is_number=True),
        Column("runs", "Runs", on_page=False),
        Column("log_speedup", "Mean log speedup", on_page=False),
        Column("speedup", "Speedup", is_number=True),
        Column("best_speedup", "Best run", is_number=True),
    )
    caption = "Every configuration with public answers, by device class, the fastest first"
    empty = "Nobody has a public answer to this task yet."
    return table("configurations", caption, columns, [_cells(one) for one in found], empty)


def best_table(found: Sequence[BestKnown]) -> Table:
    columns = (
        Column("since", "Since"),
        Column("name", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("speedup", "Speedup", is_number=True),
        Column("low", "From", on_page=False),
        Column("high", "To", on_page=False),
        Column("result", "Kernel"),
        Column("device_class", "Device class", on_page=False),
    )
    groups = tuple(
        RowGroup(tuple(_best_cells(one) for one in reversed(own)), own[0].device_title, slug)
        for slug, own in ((slug, list(own)) for slug, own in groupby(found, key=lambda one: one.device_class))
    )
    empty = "No entry has a public speed that counts: it takes a device with a clock, an accepted host, a right answer."
    return Table(
        "best", "The best known kernel of each device class by an entry, the newest on top", columns, groups, empty
    )


def charts(found: Sequence[BestKnown]) -> dict[str, Chart]:
    if not found:
        return {}
    chart = ratio_dots(
        "best",
        "The best known kernel over time",
        "A row for each kernel that was faster than every public one before it, oldest first, with its speedup over "
        "the baseline and the interval.",
        "speedup over the baseline",
        (Series("usable", "speedup, 95 % interval"),),
        [(one.name, f"{moment(one.since)}, {one.device_class}", [_point(one)]) for one in found],
    )
    return {chart.slug: chart}


def _whose(row: TaskAnswerRow) -> tuple[str, str]:
    return row.device, row.configuration


def _by_speed(one: TaskEntry) -> tuple[str, bool, float, int, str]:
    return one.device_class, one.log_speedup is None, -(one.log_speedup or 0.0), -one.correct, one.configuration


def _entry(rows: Sequence[TaskAnswerRow]) -> TaskEntry:
    first = rows[0]
    timed = [(row.log_speedup, row.result_id) for row in rows if row.log_speedup is not None and may_count(row)]
    best = max(timed, default=(None, rows[-1].result_id))
    return TaskEntry(
        first.configuration,
        entry_name(first.agent, first.model),
        first.role,
        first.device,
        len(rows),
        sum(bool(row.compiled) for row in rows),
        sum(bool(row.correct) for row in rows),
        fmean(log for log, _ in timed) if timed else None,
        len(timed),
        best[0],
        best[1],
    )


def _best(row: TaskAnswerRow, log_speedup: float) -> BestKnown:
    name = entry_name(row.agent, row.model)
    place = (row.device, row.device_title, row.published_at, row.configuration, name, row.result_id)
    return BestKnown(*place, log_speedup, row.log_speedup_low, row.log_speedup_high)


def _cells(one: TaskEntry) -> tuple[Cell, ...]:
    return (
        *entry_cells(one.name, one.configuration, role_note(one.role)),
        Cell(one.device_class, one.device_class),
        Cell(rate(one.correct, one.runs), one.correct),
        Cell(rate(one.compiled, one.runs), one.compiled),
        Cell("", one.runs),
        Cell("", one.log_speedup),
        _speed_cell(one.log_speedup),
        _best_cell(one),
    )


def _speed_cell(log_speedup: float | None) -> Cell:
    return Cell(NONE) if log_speedup is None else Cell(times(log_speedup), factor(log_speedup))


def _best_cell(one: TaskEntry) -> Cell:
    url = page_url("result", one.best_result)
    if one.best_log_speedup is None:
        return Cell("no speed", None, url)
    return Cell(times(one.best_log_speedup), factor(one.best_log_speedup), url)


def _best_cells(one: BestKnown) -> tuple[Cell, ...]:
    ends = [None if end is None else factor(end) for end in (one.log_speedup_low, one.log_speedup_high)]
    return (
        moment_cell(one.since),
        *entry_cells(one.name, one.configuration),
        _speed_cell(one.log_speedup),
        Cell("", ends[0]),
        Cell("", ends[1]),
        Cell(f"Result {one.result}", one.result, page_url("result", one.result)),
        Cell("", one.device_class),
    )


def _point(one: BestKnown) -> Point:
    low, high = one.log_speedup_low, one.log_speedup_high
    has_ends = low is not None and high is not None
    return Point(
        factor(one.log_speedup),
        times(one.log_speedup),
        factor(low) if has_ends and low is not None else None,
        factor(high) if has_ends and high is not None else None,
    )
