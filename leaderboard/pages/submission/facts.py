"""A submission's claims, findings, verifications and decisions as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from leaderboard.formatting import factor
from leaderboard.queries.submissions import SubmissionRow, TaskVerdictRow, VerificationRow

MOST_OF_A_KIND = 3


@dataclass(frozen=True, slots=True)
class TimelineStep:
    at: datetime
    action: str
    actor: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Decision:
    kind: str
    detail: str
    decided_at: datetime
    decision: str


@dataclass(frozen=True, slots=True)
class SubmissionClaim:
    """A claim of another benchmark's bundle, with the speedup that its format computes from the bundle's own times."""

    task: str
    attempt: str
    is_known: bool
    status: str
    message: str
    claimed_speedup: float | None
    recomputed_speedup: float | None
    cases: int


@dataclass(frozen=True, slots=True)
class BundleTotal:
    """A number about the whole bundle. NaN and infinity are spelled out, as JSON has no form for them."""

    name: str
    claimed: float | int | str | bool | None
    recomputed: float | int | str | bool | None


@dataclass(frozen=True, slots=True)
class FindingPlace:
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class SubmissionFinding:
    """The findings with one code, the first ones in full, as a bundle may have thousands."""

    code: str
    count: int
    first: tuple[FindingPlace, ...]

    @property
    def more(self) -> int:
        return self.count - len(self.first)


@dataclass(frozen=True, slots=True)
class SubmissionVerification:
    """A verification: the run that measured the submission's candidates again, and its verdict."""

    run: int
    device_class: str
    sample: int | None  # tasks drawn; None for all tasks
    asked_at: datetime
    closed_at: datetime | None
    verdict: str | None
    reproduced_tasks: int
    compared_tasks: int


@dataclass(frozen=True, slots=True)
class VerifiedSide:
    """The claimed or the measured result. `low` and `high` are the ends of the 95 % interval of the speedup."""

    result: int
    status: str
    speedup: float | None
    low: float | None
    high: float | None
    paper_speedup: float | None


@dataclass(frozen=True, slots=True)
class VerifiedTask:
    task: str
    outcome: str
    because: str
    claimed: VerifiedSide
    measured: VerifiedSide


def verification_of(row: VerificationRow) -> SubmissionVerification:
    return SubmissionVerification(
        run=row.measured_run,
        device_class=row.device,
        sample=row.sample,
        asked_at=row.asked_at,
        closed_at=row.closed_at,
        verdict=row.verdict or None,
        reproduced_tasks=row.reproduced,
        compared_tasks=row.compared,
    )


def verified_task(row: TaskVerdictRow) -> VerifiedTask:
    return VerifiedTask(row.task, row.outcome, row.because, _side(row[6:12]), _side(row[12:18]))


def findings_by_code(row: SubmissionRow) -> tuple[SubmissionFinding, ...]:
    codes = dict[str, list[FindingPlace]]()
    for one in row.findings or ():
        codes.setdefault(one["code"], []).append(FindingPlace(one["place"], one["text"]))
    return tuple(SubmissionFinding(code, len(found), tuple(found[:MOST_OF_A_KIND])) for code, found in codes.items())


def declared_facts(row: SubmissionRow) -> dict[str, str]:
    """Facts that the bundle states, and those that its submitter declared, which take precedence."""
    stated = {**(row.about or {}).get("facts", {}), **(row.declared or {})}
    return {name: str(value) for name, value in stated.items()}


def undeclared_facts(row: SubmissionRow) -> tuple[str, ...]:
    """Names of facts that the format asks for and nobody declared."""
    given = {*declared_facts(row), *(["licence"] if row.licence else [])}
    return tuple(name for name in (row.about or {}).get("asked", ()) if name not in given)


def _side(values: Sequence[Any]) -> VerifiedSide:
    speedup, low, high = (None if one is None else factor(one) for one in values[2:5])
    return VerifiedSide(values[0], values[1], speedup, low, high, values[5])
