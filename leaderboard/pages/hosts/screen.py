"""Tables of hosts: state, heartbeat, hardware and software versions, and host noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from evaluator.thresholds import AA_BIAS, AA_SD, TIME_BUCKETS_NS
from leaderboard.formatting import NBSP, NONE, duration, milliseconds, printable, significant, size
from leaderboard.pages.base import count_cell, moment_cell
from leaderboard.pages.hosts.facts import SILENT_AFTER
from leaderboard.queries.hosts import HostRow
from leaderboard.tables import Cell, Field, Row, RowGroup, Table, fields, grouped, hidden, table

UNITS: Mapping[str, Callable[[int], str]] = {
    "bytes": size,
    "mhz": lambda value: f"{value}{NBSP}MHz",
    "w": lambda value: f"{value}{NBSP}W",
}
NOT_RANKED: Mapping[bool | None, str] = {
    None: "not ranked: `doctor --health` has not run there",
    False: "not ranked: its noise is above the limit",
}


def hosts_table(machines: Sequence[HostRow], now: datetime) -> Table:
    columns: tuple[Field[HostRow], ...] = (
        Field("host", "Host", lambda row: Cell(row.name, row.name, note=row.note)),
        Field("state", "State", _state_cell),
        Field("device_class", "Device class", lambda row: Cell(row.device_title, row.device, note=row.device)),
        Field("seen_at", "Last heartbeat", lambda row: _heartbeat_cell(row, now)),
        Field("started_at", "Worker started", lambda row: moment_cell(row.started_at)),
        Field("running", "Running", lambda row: count_cell(row.running), is_number=True),
        Field("ended", "Ended", lambda row: count_cell(row.ended), is_number=True),
        Field("is_accepted", "Acceptance", _acceptance_cell),
    )
    empty = "No host evaluates here yet. `make up` registers the machine that it runs on."
    return table("hosts", "Hosts", columns, machines, empty)


def versions_table(machines: Sequence[HostRow]) -> Table:
    """A row for each fact that a host's worker reported when it started, under the host's name."""
    columns: tuple[Field[tuple[str, Cell, Cell]], ...] = (
        hidden("host", lambda row: row[0]),
        Field("what", "Property", lambda row: row[1]),
        Field("value", "As reported when its worker started", lambda row: row[2]),
    )
    groups = [
        RowGroup(
            tuple((row.name, *fact) for fact in ((Cell("evaluator", "evaluator"), _evaluator_cell(row)), *_facts(row))),
            row.name,
        )
        for row in machines
    ]
    return grouped("versions", "Hardware and software of each host", columns, groups, "No host is registered.")


def noise_table(machines: Sequence[HostRow]) -> Table:
    """Measurements behind the acceptance of each calibrated host."""
    columns: tuple[Field[HostRow], ...] = fields(
        Field("host", "Host", lambda row: Cell(row.name, row.name)),
        Field("is_accepted", "Acceptance", lambda row: replace(_acceptance_cell(row), note="")),
        figure_fields(lambda row: row.calibration),
        Field("made_at", "Measured", _measured_cell),
    )
    caption = (
        "Host noise: kernels timed against themselves, in sessions of fresh processes. A host is accepted with an sd "
        f"of at most {share(AA_SD)} and a bias of at most {share(AA_BIAS)}; the other sds are by the kernel's own time"
    )
    empty = "No host with a device clock was measured. Run `doctor --health` on it."
    return table("noise", caption, columns, [row for row in machines if row.calibration], empty)


def figure_fields(figures: Callable[[Row], Mapping[str, Any]]) -> tuple[Field[Row], ...]:
    """Fields of a calibration's figures."""
    return (
        Field("aa_sd", "A/A sd", lambda row: share_cell(figures(row).get("aa_sd"), AA_SD), is_number=True),
        Field("aa_bias", "Bias", lambda row: share_cell(figures(row).get("aa_bias"), AA_BIAS), is_number=True),
        Field("e0_ms", "Event pair", lambda row: _time_cell(figures(row).get("e0_ns")), is_number=True),
        *(_floor_field(name, figures) for name in TIME_BUCKETS_NS),
        Field("sessions", "Sessions", lambda row: count_cell(figures(row).get("aa_sessions")), is_number=True),
        Field("cases", "Cases", lambda row: count_cell(figures(row).get("aa_cases")), is_number=True),
    )


def _floor_field(name: str, figures: Callable[[Row], Mapping[str, Any]]) -> Field[Row]:
    label = f"sd, {name.replace('us', f'{NBSP}µs').replace('-', ' to ').replace('>', '> ')}"
    return Field(
        f"floor_{name}", label, lambda row: share_cell(figures(row).get("floors", {}).get(name)), is_number=True
    )


def _state_cell(row: HostRow) -> Cell:
    if row.quarantined_at:
        return Cell("quarantined", "quarantined", note="takes no attempts", tone="bad", mark="✕")
    if not row.is_enabled:
        return Cell("disabled", "disabled", note="takes no attempts", tone="ours", mark="○")
    return Cell("takes attempts", "takes work", tone="good", mark="✓")


def _evaluator_cell(row: HostRow) -> Cell:
    if not row.evaluator:
        return Cell("unknown", None, note="its worker has not started since hosts began to report it")
    if row.is_outdated:
        note = "older than this site, so it takes no attempts: update it and restart its worker"
        return Cell(row.evaluator, row.evaluator, note=note, tone="bad", mark="✕")
    return Cell(row.evaluator, row.evaluator)


def _facts(row: HostRow) -> Iterator[tuple[Cell, Cell]]:
    """Pairs of name and value. On the page a number has the unit that its name ends with; CSV and JSON have both as
    reported."""
    for name, value in sorted(row.facts.items()):
        what, _, unit = name.rpartition("_")
        is_number = unit in UNITS and str(value).isdecimal()
        text = UNITS[unit](int(value)) if is_number else printable(str(value))
        yield Cell((what if is_number else name).replace("_", " "), name.replace("_", " ")), Cell(text, value)


def _heartbeat_cell(row: HostRow, now: datetime) -> Cell:
    if row.seen_at is None:
        return Cell("none yet", None, tone="ours", mark="○")
    silent = now - row.seen_at > SILENT_AFTER
    text = f"silent for {duration(now - row.seen_at)}" if silent else f"{duration(now - row.seen_at)} ago"
    return Cell(text, row.seen_at.isoformat(), tone="bad" if silent else "good", mark="✕" if silent else "✓")


def _acceptance_cell(row: HostRow) -> Cell:
    if row.is_functional:
        return Cell("not needed", None, note="its times enter no metric")
    return replace(accepted_cell(row.is_accepted), note=NOT_RANKED.get(row.is_accepted, ""))


def accepted_cell(is_accepted: bool | None) -> Cell:
    if is_accepted is None:
        return Cell("unknown", None)
    if is_accepted:
        return Cell("accepted", True, tone="good", mark="✓")
    return Cell("not accepted", False, tone="bad", mark="✕")


def _measured_cell(row: HostRow) -> Cell:
    made_at = row.calibration.get("made_at")
    return moment_cell(datetime.fromisoformat(made_at) if made_at else None)


def share_cell(value: float | None, limit: float | None = None) -> Cell:
    """A log ratio near 0 as a percentage, marked where it exceeds its limit."""
    if value is None:
        return Cell(NONE)
    exceeds = limit is not None and abs(value) > limit
    return Cell(share(value), value, tone="bad" if exceeds else "", mark="✕" if exceeds else "")


def share(value: float) -> str:
    return f"{significant(100 * value, 2)}{NBSP}%".replace("-", "−")


def _time_cell(time_ns: float | None) -> Cell:
    return Cell(NONE) if time_ns is None else Cell(milliseconds(time_ns / 1e6), time_ns / 1e6)
