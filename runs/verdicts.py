"""A record as columns: what an attempt and its measurements say. Pure functions; `services` writes what they return."""

from __future__ import annotations

import math
from statistics import fmean, median
from typing import Any

from evaluator.measurements import T_DEV, Clock
from evaluator.records import CaseRecord, Flag, Record, Status
from runs.models import Attempt, Measurement


def attempt_columns(record: Record) -> dict[str, Any]:
    """Everything of an attempt that its record decides."""
    about_candidate = record.status not in (Status.ERRORED, Status.NOT_JUDGED)
    return {
        "status": record.status.value,
        "gate": record.gate or "",
        "reason": record.reason or "",
        "message": record.message or "",
        "flags": [flag.value for flag in record.flags],
        "is_held": Flag.HOLD in record.flags,
        "is_uncalibrated": Flag.UNCALIBRATED in record.flags,
        "compiled": record.compiled if about_candidate else None,
        "correct": record.correct if about_candidate else None,
        "evaluator": record.evaluator,
        **_speedups(record),
    }


def measurements(attempt: Attempt, record: Record) -> list[Measurement]:
    """One unsaved row for each case that was reached, in the record's order."""
    return [_measurement(attempt, record, case) for case in record.cases]


def _speedups(record: Record) -> dict[str, float | None]:
    """The task's numbers: only after a pass, and only if every case has a ratio (a missing time fails the task)."""
    ratios = [case.speedup for case in record.cases if case.speedup is not None]
    whole = record.status is Status.PASSED and len(ratios) == len(record.cases)
    return {"speedup": fmean(ratios) if whole else None, "log_speedup": None}  # no case is eligible yet


def _measurement(attempt: Attempt, record: Record, case: CaseRecord) -> Measurement:
    ranked = case.clocks.get(T_DEV)
    row = Measurement(
        attempt=attempt,
        case=case.id,
        split=case.split,
        profile=case.profile,
        correct=case.correct if case.correct or record.gate == "correctness" else None,
        # A baseline that is wrong on a seen case is a fault of the task and ends without any verdict.
        baseline_correct=True if case.baseline_rmse is not None else None,
        draws=case.draws,
        relative_rmse=case.relative_rmse,
        allowed_rmse=case.allowed_rmse,
        baseline_rmse=case.baseline_rmse,
        first_call_ms=case.first_call_ms,
        clocks={name: _medians(clock) for name, clock in case.clocks.items() if name != T_DEV},
    )
    if ranked is not None and case.speedup is not None:
        row.baseline_t_dev_ms, row.candidate_t_dev_ms = median(ranked.baseline_ms), median(ranked.candidate_ms)
        row.log_ratio = math.log(case.speedup)
    return row


def _medians(clock: Clock) -> dict[str, float | int]:
    return {
        "baseline_ms": median(clock.baseline_ms),
        "candidate_ms": median(clock.candidate_ms),
        "calls": min(len(clock.baseline_ms), len(clock.candidate_ms)),
    }
