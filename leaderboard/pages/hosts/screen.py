"""How hosts look on pages: what each may do, its signs of life, what it runs on, and how still its device is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from evaluator.thresholds import AA_BIAS, AA_SD, TIME_BUCKETS_NS
from leaderboard.formatting import NBSP, NONE, duration, milliseconds, moment, printable, sentence, significant, size
from leaderboard.pages.base import count_cell, moment_cell
from leaderboard.queries.hosts import HostRow
from leaderboard.tables import Cell, Column, Table, table

SILENT_AFTER = timedelta(seconds=60)  # an idle worker gives a sign of life more often than that
UNITS: Mapping[str, Callable[[int], str]] = {
    "bytes": size,
    "mhz": lambda value: f"{value}{NBSP}MHz",
    "w": lambda value: f"{value}{NBSP}W",
}
NOT_RANKED: Mapping[bool | None, str] = {
    None: "not ranked: `doctor --health` did not run there",
    False: "not ranked: its noise is above the limit",
}
WHAT_TO_DO = (
    "It claims nothing. Run python -m evaluator doctor --health there, set right what it finds, and lift the "
    "quarantine in the admin, with a reason. Its worker tries the known kernels again before it takes work."
)


@dataclass(frozen=True, slots=True)
class HostLine:
    """`calibration`: the figures of `doctor --health` (A/A sd and bias as log ratios); empty where it did not run."""

    name: str
    device_class: str
    architecture: str
    is_enabled: bool
    is_accepted: bool | None
    calibration: dict[str, Any]
    quarantined_at: datetime | None
    quarantine_reason: str | None
    seen_at: datetime | None
    started_at: datetime | None
    running: int
    ended: int
    facts: dict[str, Any]
    evaluator: str | None
    agents: dict[str, Any]  # what each agent of ours lacks there
    note: str


def host_line(row: HostRow) -> HostLine:
    return HostLine(
        row.name,
        row.device,
        row.architecture,
        row.is_enabled,
        row.is_accepted,
        row.calibration,
        row.quarantined_at,
        row.quarantine_reason or None,
        row.seen_at,
        row.started_at,
        row.running,
        row.ended,
        row.facts,
        row.evaluator or None,
        row.agents,
        row.note,
    )


def is_at_work(row: HostRow, now: datetime) -> bool:
    """It takes attempts, and its worker is alive."""
    return row.may_claim and not row.is_outdated and row.seen_at is not None and now - row.seen_at <= SILENT_AFTER


def notices(machines: Sequence[HostRow]) -> tuple[str, ...]:
    """For each quarantined host since when, why, and what to do."""
    return tuple(
        f"{row.name} is quarantined since {moment(row.quarantined_at)}. {sentence(row.quarantine_reason)} {WHAT_TO_DO}"
        for row in machines
        if row.quarantined_at
    )


def hosts_table(machines: Sequence[HostRow], now: datetime) -> Table:
    columns = (
        Column("host", "Host"),
        Column("state", "State"),
        Column("device_class", "Device class"),
        Column("seen_at", "Last sign of life"),
        Column("started_at", "Worker started"),
        Column("running", "Running", is_number=True),
        Column("ended", "Ended", is_number=True),
        Column("is_accepted", "Acceptance"),
    )
    empty = "No host is registered. `make up` registers this machine; others are added in the admin."
    return table("hosts", "Hosts", columns, [_host_cells(row, now) for row in machines], empty)


def versions_table(machines: Sequence[HostRow]) -> Table:
    """A row for each thing that a host's worker said of it when it started."""
    columns = (
        Column("host", "Host"),
        Column("what", "What"),
        Column("value", "As its worker said when it started"),
    )
    rows = [
        (Cell(row.name, row.name), what, value)
        for row in machines
        for what, value in ((Cell("evaluator", "evaluator"), _evaluator(row)), *_facts(row))
    ]
    return table("versions", "What each host is and runs on", columns, rows, "No host is registered.")


def noise_table(machines: Sequence[HostRow]) -> Table:
    """Figures behind the acceptance of each host that was measured."""
    columns = (
        Column("host", "Host"),
        Column("is_accepted", "Acceptance"),
        Column("aa_sd", "A/A sd", is_number=True),
        Column("aa_bias", "Bias", is_number=True),
        Column("e0_ms", "Event pair", is_number=True),
        *(Column(f"floor_{name}", f"sd, {bucket(name)}", is_number=True) for name in TIME_BUCKETS_NS),
        Column("sessions", "Sessions", is_number=True),
        Column("cases", "Cases", is_number=True),
        Column("made_at", "Measured"),
    )
    rows = [_noise_cells(row) for row in machines if row.calibration]
    caption = (
        "How still each device is: kernels timed against themselves, in sessions of fresh processes. Accepted is a sd "
        f"of at most {share(AA_SD)} and a bias of at most {share(AA_BIAS)}; sds by the kernel's own time beside it"
    )
    return table("noise", caption, columns, rows, "No host with a device clock was measured: run `doctor --health`.")


def _host_cells(row: HostRow, now: datetime) -> tuple[Cell, ...]:
    return (
        Cell(row.name, row.name, note=row.note),
        _state(row),
        Cell(row.device_title, row.device, note=row.device),
        _sign_of_life(row, now),
        moment_cell(row.started_at),
        count_cell(row.running),
        count_cell(row.ended),
        _acceptance(row),
    )


def _state(row: HostRow) -> Cell:
    if row.quarantined_at:
        return Cell("quarantined", "quarantined", note="claims nothing", tone="bad", mark="✕")
    if not row.is_enabled:
        return Cell("not enabled", "not enabled", note="claims nothing", tone="ours", mark="○")
    return Cell("takes work", "takes work", tone="good", mark="✓")


def _evaluator(row: HostRow) -> Cell:
    if not row.evaluator:
        return Cell("unknown", None, note="no worker has started there since hosts say it")
    if row.is_outdated:
        note = "older than this site: takes nothing that was queued here; update it and start its worker again"
        return Cell(row.evaluator, row.evaluator, note=note, tone="bad", mark="✕")
    return Cell(row.evaluator, row.evaluator)


def _facts(row: HostRow) -> Iterator[tuple[Cell, Cell]]:
    """With the unit that a name ends with behind its number; data have both as the host said them."""
    for name, value in sorted(row.facts.items()):
        what, _, unit = name.rpartition("_")
        is_number = unit in UNITS and str(value).isdecimal()
        text = UNITS[unit](int(value)) if is_number else printable(str(value))
        yield Cell((what if is_number else name).replace("_", " "), name.replace("_", " ")), Cell(text, value)


def _sign_of_life(row: HostRow, now: datetime) -> Cell:
    if row.seen_at is None:
        return Cell("never seen", None, tone="ours", mark="○")
    silent = now - row.seen_at > SILENT_AFTER
    text = f"silent for {duration(now - row.seen_at)}" if silent else f"{duration(now - row.seen_at)} ago"
    return Cell(text, row.seen_at.isoformat(), tone="bad" if silent else "good", mark="✕" if silent else "✓")


def _acceptance(row: HostRow) -> Cell:
    if row.is_functional:
        return Cell("not needed", None, note="it times nothing that counts")
    return replace(accepted_cell(row.is_accepted), note=NOT_RANKED.get(row.is_accepted, ""))


def accepted_cell(is_accepted: bool | None) -> Cell:
    if is_accepted is None:
        return Cell("unknown", None)
    if is_accepted:
        return Cell("accepted", True, tone="good", mark="✓")
    return Cell("not accepted", False, tone="bad", mark="✕")


def _noise_cells(row: HostRow) -> tuple[Cell, ...]:
    found = row.calibration
    floors: Mapping[str, float] = found.get("floors", {})
    made_at = found.get("made_at")
    return (
        Cell(row.name, row.name),
        replace(_acceptance(row), note=""),
        share_cell(found.get("aa_sd"), AA_SD),
        share_cell(found.get("aa_bias"), AA_BIAS),
        time_cell(found.get("e0_ns")),
        *(share_cell(floors.get(name)) for name in TIME_BUCKETS_NS),
        *(count_cell(found.get(name)) for name in ("aa_sessions", "aa_cases")),
        moment_cell(datetime.fromisoformat(made_at) if made_at else None),
    )


def share_cell(value: float | None, limit: float | None = None) -> Cell:
    """A log ratio near 0 as a percentage; marked where it misses its limit."""
    if value is None:
        return Cell(NONE)
    misses = limit is not None and abs(value) > limit
    return Cell(share(value), value, tone="bad" if misses else "", mark="✕" if misses else "")


def share(value: float) -> str:
    return f"{significant(100 * value, 2)}\u00a0%"


def time_cell(time_ns: float | None) -> Cell:
    return Cell(NONE) if time_ns is None else Cell(milliseconds(time_ns / 1e6), time_ns / 1e6)


def bucket(name: str) -> str:
    return name.replace("us", "\u00a0µs").replace("-", " to ").replace(">", "> ")
