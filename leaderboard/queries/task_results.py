"""Public results of one task, in the order in which they became public."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from leaderboard.eligibility import HACKED
from runs.models import Measurement, Result


class PublicResultRow(NamedTuple):
    """A public result. `log_speedup` is the one that metrics use, the interval that of the plain one; None without a
    speed."""

    result_id: int
    run_id: int
    configuration: str
    agent: str
    model: str | None
    role: str
    device: str
    device_title: str
    is_functional: bool
    published_at: datetime
    status: str
    compiled: bool | None
    correct: bool | None
    log_speedup: float | None
    log_speedup_low: float | None
    log_speedup_high: float | None
    audit: str
    is_held: bool
    is_uncalibrated: bool
    protocol: str  # of the record
    run_protocol: str


def results_of(task_id: int) -> list[PublicResultRow]:
    rows = Result.objects.public().filter(task=task_id).order_by("run__published_at", "id")
    fields = (
        *("id", "run_id", "run__configuration__slug", "run__configuration__agent__name"),
        *("run__configuration__model__name", "run__configuration__role", "run__device_class__slug"),
        *("run__device_class__title", "run__device_class__is_functional", "run__published_at"),
        *("published_attempt__status", "published_attempt__compiled", "published_attempt__correct"),
        *("published_attempt__cautious_log_speedup", "published_attempt__log_speedup_low"),
        *("published_attempt__log_speedup_high", "audit", "published_attempt__is_held"),
        *("published_attempt__is_uncalibrated", "published_attempt__protocol", "run__protocol"),
    )
    return [PublicResultRow(*row) for row in rows.values_list(*fields)]


def newest_records(task_id: int) -> list[str]:
    """Digests of the records of the newest public runs here of the task's own source, one for each device with a clock.

    No other candidate's record has the times of further baselines.
    """
    rows = (
        Result.objects.public()
        .filter(task=task_id, run__origin="run_here", published_attempt__status="passed")
        .filter(run__device_class__is_functional=False, run__configuration__agent__slug="baseline")
        .order_by("run__published_at", "id")
    )
    newest = dict(rows.values_list("run__device_class__slug", "published_attempt__record_digest"))
    return [newest[device] for device in sorted(newest)]


class CaseRow(NamedTuple):
    """One case of a public result. Log ratios are of baseline to candidate, on the device clock.

    In a result that an audit found hacked the candidate is wrong and has no speed.
    """

    result_id: int
    case: str
    correct: bool | None
    log_ratio: float | None
    log_ratio_low: float | None
    log_ratio_high: float | None
    is_eligible: bool


def cases_of(results: Sequence[int]) -> list[CaseRow]:
    """Cases of these results, in the order of their evaluation."""
    rows = Measurement.objects.filter(attempt__published_for__in=results).order_by("id")
    names = ("attempt__published_for__audit", "attempt__published_for", *CaseRow._fields[1:])
    return [_as_audited(CaseRow(*row), audit) for audit, *row in rows.values_list(*names)]


def _as_audited(row: CaseRow, audit: str) -> CaseRow:
    if audit != HACKED or row.correct is None:
        return row
    return row._replace(correct=False, log_ratio=None, log_ratio_low=None, log_ratio_high=None)
