"""Hosts as data: what each is and runs on, whether it takes attempts, and what a maintainer has to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from leaderboard.formatting import moment, sentence
from leaderboard.queries.hosts import HostRow

SILENT_AFTER = timedelta(seconds=60)  # an idle worker sends a heartbeat more often than that
WHAT_TO_DO = (
    "It takes no attempts. An operator runs python -m evaluator doctor --health there, fixes what it reports and lifts "
    "the quarantine, with a reason. Its worker runs its health check again before it takes work."
)


@dataclass(frozen=True, slots=True)
class HostSummary:
    """A host. `calibration` is what `doctor --health` measured (A/A sd, bias: log ratios); empty if it never ran."""

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
    agents: dict[str, Any]  # what each built-in agent lacks there
    note: str


def host_summary(row: HostRow) -> HostSummary:
    return HostSummary(
        name=row.name,
        device_class=row.device,
        architecture=row.architecture,
        is_enabled=row.is_enabled,
        is_accepted=row.is_accepted,
        calibration=row.calibration,
        quarantined_at=row.quarantined_at,
        quarantine_reason=row.quarantine_reason or None,
        seen_at=row.seen_at,
        started_at=row.started_at,
        running=row.running,
        ended=row.ended,
        facts=row.facts,
        evaluator=row.evaluator or None,
        agents=row.agents,
        note=row.note,
    )


def is_at_work(row: HostRow, now: datetime) -> bool:
    """True if the host takes attempts and its worker is alive."""
    return row.may_take_work and not row.is_outdated and row.seen_at is not None and now - row.seen_at <= SILENT_AFTER


def notices(machines: Sequence[HostRow]) -> tuple[str, ...]:
    """A text for each quarantined host: since when, why, and what to do."""
    return tuple(
        f"{row.name}: in quarantine since {moment(row.quarantined_at)}. {sentence(row.quarantine_reason)} {WHAT_TO_DO}"
        for row in machines
        if row.quarantined_at
    )
