"""Host noise: every A/A calibration of each host, its acceptance, and what changed since the one before."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from evaluator.thresholds import AA_BIAS, AA_SD
from leaderboard.charts import Chart, Point, Series
from leaderboard.charts.rows import dots
from leaderboard.formatting import NBSP, NONE, moment, significant
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, moment_cell, page_url
from leaderboard.pages.hosts.screen import accepted_cell, figure_fields, hosts_table, share
from leaderboard.queries import hosts
from leaderboard.queries.hosts import CalibrationRow, HostRow
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, grouped, hidden, table, text_field

MOST = 200  # calibrations on the page
MOST_DRAWN = 24  # of them in the chart
HEALTH = "`python -m evaluator doctor --health`"
AXIS_END = 0.02  # of the chart, as a log ratio; values beyond it are drawn at its edge
TICKS = (-0.02, 0.0, 0.02)


@dataclass(frozen=True, slots=True)
class CalibrationEntry:
    """A calibration. `figures`: A/A sd, bias and floors as log ratios, E0 in nanoseconds."""

    host: str
    device_class: str
    made_at: datetime
    is_accepted: bool
    figures: dict[str, Any]
    facts: dict[str, Any]
    changes: tuple[str, ...]  # of hardware and software, since the one before


@dataclass(frozen=True, slots=True)
class UnmeasuredHost:
    """A host with a device clock and without a calibration on this site."""

    host: str
    device_class: str
    is_accepted: bool | None  # as reported by the records of its runs
    evaluations: int
    because: str
    to_do: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisePage(Page):
    sd_limit: float
    bias_limit: float
    calibrations: tuple[CalibrationEntry, ...]
    unmeasured: tuple[UnmeasuredHost, ...]


def build(query: Query) -> NoisePage:
    rows = hosts.calibrations(MOST)
    entries = tuple(entry for _, own in groupby(rows, key=lambda row: row.host) for entry in _entries(list(own)))
    machines = hosts.hosts()
    unmeasured = _unmeasured(machines, {one.host for one in entries})
    return NoisePage(
        title="Host noise",
        lead="Each host times kernels against themselves. Its speeds count only while this noise is low: an sd "
        f"of at most {share(AA_SD)} and a bias of at most {share(AA_BIAS)}.",
        crumbs=(Link("Analysis", page_url("analysis")),),
        tables=by_slug(_table(entries), _unmeasured_table(unmeasured), hosts_table(machines, datetime.now(UTC))),
        charts=_charts(entries),
        sd_limit=AA_SD,
        bias_limit=AA_BIAS,
        calibrations=entries,
        unmeasured=unmeasured,
    )


def _entries(rows: Sequence[CalibrationRow]) -> list[CalibrationEntry]:
    """Calibrations of one host, newest first, each with the changes since the one before it."""
    before = [*(row.facts for row in rows[1:]), None]
    return [
        CalibrationEntry(
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


def _table(entries: Sequence[CalibrationEntry]) -> Table:
    columns: tuple[Field[CalibrationEntry], ...] = fields(
        Field("made_at", "Measured", lambda one: moment_cell(one.made_at)),
        text_field("host", "Host", lambda one: one.host, on_page=False),
        Field("is_accepted", "Acceptance", lambda one: accepted_cell(one.is_accepted)),
        figure_fields(lambda one: one.figures),
        Field("changes", "Changes since", _changes_cell),
    )
    by_host = ((host, tuple(own)) for host, own in groupby(entries, key=lambda one: one.host))
    groups = [RowGroup(own, host, own[0].device_class) for host, own in by_host]
    caption = "All calibrations, newest first; the columns of times have sds by the kernel's own time"
    empty = f"No calibration is stored here. Run {HEALTH} on a host with a device clock to make one."
    return grouped("calibrations", caption, columns, groups, empty)


def _changes_cell(one: CalibrationEntry) -> Cell:
    changes = "; ".join(one.changes)
    return Cell(changes or NONE, changes)


def _unmeasured(machines: Sequence[HostRow], measured: Collection[str]) -> tuple[UnmeasuredHost, ...]:
    return tuple(
        UnmeasuredHost(row.name, row.device, row.is_accepted, row.ended, *_reason(row))
        for row in machines
        if not row.is_functional and row.name not in measured
    )


def _reason(row: HostRow) -> tuple[str, str]:
    """Why the host has no calibration here, and what to do."""
    if row.started_at is None:
        because = "No worker of this site has ever started there, and its bundles contain no calibration."
        if row.is_accepted:
            because += " Their records state that it was accepted."
        return because, f"Run {HEALTH} there. Its next bundle will contain a calibration."
    return "Its worker found no calibration when it started.", f"Run {HEALTH} there, then restart its worker."


def _unmeasured_table(found: Sequence[UnmeasuredHost]) -> Table:
    columns: tuple[Field[UnmeasuredHost], ...] = (
        text_field("host", "Host", lambda one: one.host),
        Field("because", "Reason, and what to do", lambda one: Cell(one.because, one.because, note=one.to_do)),
        hidden("to_do", lambda one: one.to_do),
        text_field("device_class", "Device class", lambda one: one.device_class, is_code=True),
        Field("is_accepted", "Acceptance", lambda one: accepted_cell(one.is_accepted)),
        Field("evaluations", "Evaluations", lambda one: count_cell(one.evaluations), is_number=True),
    )
    caption = "Hosts with a device clock and without a calibration on this site"
    return table("unmeasured", caption, columns, found, "Every host with a device clock has a calibration.")


def _charts(entries: Sequence[CalibrationEntry]) -> dict[str, Chart]:
    drawn = [one for one in entries if one.figures.get("aa_sd") is not None][:MOST_DRAWN]
    if not drawn:
        return {}
    chart = dots(
        "aa",
        "differences",
        "A kernel timed against itself",
        "The mean log ratio of A/A sessions for each calibration, with one standard deviation to each side. A host "
        "without noise lies at zero.",
        "log ratio of a kernel to itself",
        (Series("correct", "bias, with ± sd"),),
        [(one.host, moment(one.made_at), [_point(one)]) for one in drawn],
        [(-AA_BIAS, ""), (AA_BIAS, f"limits of the bias: ±{share(AA_BIAS)}")],
        [(value, f"{100 * value:+.0f}{NBSP}%" if value else "0") for value in TICKS],
        lambda value: min(max((value + AXIS_END) / (2 * AXIS_END), 0.0), 1.0),
    )
    return {chart.slug: chart}


def _point(one: CalibrationEntry) -> Point:
    bias, sd = one.figures["aa_bias"], one.figures["aa_sd"]
    return Point(bias, f"{significant(100 * bias, 2)} ± {significant(100 * sd, 2)}{NBSP}%", bias - sd, bias + sd)
