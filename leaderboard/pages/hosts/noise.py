"""How still the hosts are: every A/A calibration that was taken, what it decided, and what changed since the last."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from evaluator.thresholds import AA_BIAS, AA_SD, TIME_BUCKETS_NS
from leaderboard.charts import Chart, Point, Series
from leaderboard.charts.rows import dots
from leaderboard.formatting import NBSP, NONE, moment, significant
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, moment_cell, page_url
from leaderboard.pages.hosts.screen import accepted_cell, bucket, hosts_table, share, share_cell, time_cell
from leaderboard.queries import hosts, noise
from leaderboard.queries.hosts import HostRow
from leaderboard.queries.noise import CalibrationRow
from leaderboard.tables import Cell, Column, RowGroup, Table, table

MOST = 200
MOST_DRAWN = 24
HEALTH = "`python -m evaluator doctor --health`"
AXIS_END = 0.02  # of the chart, as a log ratio; what lies beyond stands at its edge
TICKS = (-0.02, 0.0, 0.02)


@dataclass(frozen=True, slots=True)
class CalibrationLine:
    """`figures`: A/A sd, bias and floors as log ratios, E0 in nanoseconds."""

    host: str
    device_class: str
    made_at: datetime
    is_accepted: bool
    figures: dict[str, Any]
    facts: dict[str, Any]
    changes: tuple[str, ...]  # of what it runs on, since the one before


@dataclass(frozen=True, slots=True)
class UnmeasuredHost:
    """One with a device clock, of which no calibration is kept here."""

    host: str
    device_class: str
    is_accepted: bool | None  # as the records of its runs say
    evaluations: int
    because: str
    to_do: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisePage(Page):
    sd_limit: float
    bias_limit: float
    calibrations: tuple[CalibrationLine, ...]
    unmeasured: tuple[UnmeasuredHost, ...]


def build(query: Query) -> NoisePage:
    rows = noise.calibrations(MOST)
    lines = tuple(line for _, own in groupby(rows, key=lambda row: row.host) for line in _lines(list(own)))
    machines = hosts.hosts()
    unmeasured = _unmeasured(machines, {line.host for line in lines})
    return NoisePage(
        title="How still the hosts are",
        lead="A kernel should be as fast as itself. Where it is not, a host's speeds stay off the boards: the limits "
        f"are a sd of {share(AA_SD)} and a bias of {share(AA_BIAS)}.",
        crumbs=(Link("Analysis", page_url("analysis")),),
        tables=by_slug(_table(lines), _unmeasured_table(unmeasured), hosts_table(machines, datetime.now(UTC))),
        charts=_charts(lines),
        sd_limit=AA_SD,
        bias_limit=AA_BIAS,
        calibrations=lines,
        unmeasured=unmeasured,
    )


def _lines(rows: Sequence[CalibrationRow]) -> list[CalibrationLine]:
    """Of one host, newest first, each with what differs from the one below."""
    before = [*(row.facts for row in rows[1:]), None]
    return [
        CalibrationLine(
            row.host, row.device, row.made_at, row.is_accepted, row.figures, row.facts, _changes(row.facts, old)
        )
        for row, old in zip(rows, before, strict=True)
    ]


def _changes(now: Mapping[str, Any], before: Mapping[str, Any] | None) -> tuple[str, ...]:
    if before is None:
        return ()
    names = sorted(set(now) | set(before))
    return tuple(
        f"{name}: {before.get(name, 'none')} to {now.get(name, 'none')}"
        for name in names
        if now.get(name) != before.get(name)
    )


def _table(lines: Sequence[CalibrationLine]) -> Table:
    columns = (
        Column("made_at", "Measured"),
        Column("host", "Host", on_page=False),
        Column("is_accepted", "Acceptance"),
        Column("aa_sd", "A/A sd", is_number=True),
        Column("aa_bias", "Bias", is_number=True),
        Column("e0_ms", "Event pair", is_number=True),
        *(Column(f"floor_{name}", f"sd, {bucket(name)}", is_number=True) for name in TIME_BUCKETS_NS),
        Column("sessions", "Sessions", is_number=True),
        Column("cases", "Cases", is_number=True),
        Column("changes", "Changed since"),
    )
    groups = tuple(
        RowGroup(tuple(_cells(line) for line in own), host, own[0].device_class)
        for host, own in ((host, list(own)) for host, own in groupby(lines, key=lambda line: line.host))
    )
    caption = "Every calibration, newest first: sds by the kernel's own time in the columns of times"
    empty = f"No calibration is kept here: {HEALTH} on a host with a device clock makes one."
    return Table("calibrations", caption, columns, groups, empty)


def _unmeasured(machines: Sequence[HostRow], measured: Collection[str]) -> tuple[UnmeasuredHost, ...]:
    return tuple(
        UnmeasuredHost(row.name, row.device, row.is_accepted, row.ended, *_reason(row))
        for row in machines
        if not row.is_functional and row.name not in measured
    )


def _reason(row: HostRow) -> tuple[str, str]:
    """Why nothing is kept of it, and what to do."""
    if row.started_at is None:
        said = "its bundles brought no calibration"
        if row.is_accepted:
            said += ", and their records say that its A/A sessions accepted it"
        return f"No worker of this site ever started there: {said}.", f"Run {HEALTH} there: its next bundle brings one."
    return "Its worker found no calibration when it started.", f"Run {HEALTH} there, then start its worker again."


def _unmeasured_table(found: Sequence[UnmeasuredHost]) -> Table:
    columns = (
        Column("host", "Host"),
        Column("because", "Why there is nothing, and what to do"),
        Column("to_do", "What to do", on_page=False),
        Column("device_class", "Device class", is_code=True),
        Column("is_accepted", "Acceptance"),
        Column("evaluations", "Evaluations", is_number=True),
    )
    rows = [
        (
            Cell(one.host, one.host),
            Cell(one.because, one.because, note=one.to_do),
            Cell("", one.to_do),
            Cell(one.device_class, one.device_class),
            accepted_cell(one.is_accepted),
            count_cell(one.evaluations),
        )
        for one in found
    ]
    caption = "Hosts with a device clock of which no calibration is kept here"
    return table("unmeasured", caption, columns, rows, "Of every host with a device clock there is a calibration.")


def _cells(line: CalibrationLine) -> tuple[Cell, ...]:
    found, floors = line.figures, line.figures.get("floors", {})
    changes = "; ".join(line.changes)
    return (
        moment_cell(line.made_at),
        Cell(line.host, line.host),
        accepted_cell(line.is_accepted),
        share_cell(found.get("aa_sd"), AA_SD),
        share_cell(found.get("aa_bias"), AA_BIAS),
        time_cell(found.get("e0_ns")),
        *(share_cell(floors.get(name)) for name in TIME_BUCKETS_NS),
        *(count_cell(found.get(name)) for name in ("aa_sessions", "aa_cases")),
        Cell(changes or NONE, changes),
    )


def _charts(lines: Sequence[CalibrationLine]) -> dict[str, Chart]:
    drawn = [line for line in lines if line.figures.get("aa_sd") is not None][:MOST_DRAWN]
    if not drawn:
        return {}
    chart = dots(
        "aa",
        "differences",
        "A kernel against itself",
        "For each calibration the mean log ratio of A/A sessions, with one standard deviation to each side. A still "
        "host lies at zero.",
        "log ratio of a kernel to itself",
        (Series("correct", "bias, with ± sd"),),
        [(line.host, moment(line.made_at), [_point(line)]) for line in drawn],
        [(-AA_BIAS, ""), (AA_BIAS, f"limits of the bias: ±{share(AA_BIAS)}")],
        [(value, f"{100 * value:+.0f}{NBSP}%" if value else "0") for value in TICKS],
        lambda value: min(max((value + AXIS_END) / (2 * AXIS_END), 0.0), 1.0),
    )
    return {chart.slug: chart}


def _point(line: CalibrationLine) -> Point:
    bias, sd = line.figures["aa_bias"], line.figures["aa_sd"]
    return Point(bias, f"{significant(100 * bias, 2)} ± {significant(100 * sd, 2)}{NBSP}%", bias - sd, bias + sd)
