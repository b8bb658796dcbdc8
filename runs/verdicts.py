"""An evaluator record as columns of attempts and measurements. Pure functions; `runs.services` writes the rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import exp, fsum
from statistics import fmean, median
from typing import Any

from evaluator.records.calibration import DeviceCalibration
from evaluator.records.measurements import KBX_DO_BENCH, PAPER_CLOCKS, T_DEV, Clock, Ratio
from evaluator.records.reasons import Flag, Status
from evaluator.records.record import CaseRecord, Record, why_private
from evaluator.tasks.roofline import CaseWork, TimedWork, total
from evaluator.unseen.record import UnseenRecord, quadrant_of
from runs.models import Attempt, Measurement, UnseenEvaluation, UnseenMeasurement

Work = Mapping[str, Mapping[str, Any]]  # of a task: case id → the fields of its CaseWork
NO_WORK: dict[str, Any] = {"work_ms": None, "work_bytes": None, "work_flops": None}


def attempt_columns(record: Record, work: Work | None = None) -> dict[str, Any]:
    """Return the columns of an attempt that its record decides; `work` is its task's.

    Raises:
        ValueError: the record must not become a result.
    """
    if private := why_private(record):
        raise ValueError(f"the record of {record.task.id}: {private}")
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
        "protocol": record.protocol,
        "log_speedup": record.mean_log(lambda ratio: ratio.log_ratio),
        "mean_speedup": record.mean_log(lambda ratio: exp(ratio.log_ratio)),
        "cautious_log_speedup": record.mean_log(cautious),
        "log_speedup_low": record.mean_log(lambda ratio: ratio.low),
        "log_speedup_high": record.mean_log(lambda ratio: ratio.high),
        "paper_speedup": _paper_speedup(record),
        **(work_columns(measurements(Attempt(), record), work) if record.status is Status.PASSED else NO_WORK),
    }


def work_columns(cases: Sequence[Measurement], work: Work | None) -> dict[str, Any]:
    """Return what an attempt's eligible cases moved and computed by the task's model, and in which time.

    Rates and their shares of peaks follow from these sums when a page is made, so a corrected peak leaves none of them
    stale. Empty where one of the cases has no model. One that is faster than the clock can see counts with the time
    that was measured, which is longer than its own.
    """
    counted = [case for case in cases if case.is_eligible]
    times_ms = [float(case.candidate_t_dev_ms) for case in counted if case.candidate_t_dev_ms is not None]
    if not work or len(times_ms) < len(counted) or not all(case.case in work for case in counted):
        return NO_WORK
    found = total(
        TimedWork.of_case(CaseWork(**work[case.case]), time_ms, case.allowed_rmse)
        for case, time_ms in zip(counted, times_ms, strict=True)
    )
    if found is None:
        return NO_WORK
    # Not from seconds, in which the smallest time that a bundle may claim is 0.
    return {"work_ms": fsum(times_ms), "work_bytes": found.bytes, "work_flops": dict(found.flops)}


def measurements(attempt: Attempt, record: Record) -> list[Measurement]:
    """Return one unsaved row for each case that was reached, in the record's order."""
    return [_measurement(attempt, record, case) for case in record.cases]


def unseen_measurements(evaluation: UnseenEvaluation, record: UnseenRecord) -> list[UnseenMeasurement]:
    """Return one unsaved row for each unseen case, in the record's order."""
    return [
        UnseenMeasurement(
            evaluation=evaluation,
            case=case.id,
            category=case.category,
            profile=case.profile,
            origin=case.origin,
            is_error=case.quadrant == "evaluation_error",
            baseline_correct=case.baseline.correct,
            baseline_reason=case.baseline.reason or "",
            baseline_message=case.baseline.message or "",
            correct=case.candidate.correct,
            reason=case.candidate.reason or "",
            message=case.candidate.message or "",
            **(_ratio_columns(case.ratio) if case.ratio else {}),
        )
        for case in record.cases
    ]


def unseen_columns(cases: Sequence[UnseenMeasurement]) -> dict[str, Any]:
    """Return the columns of an evaluation that sum up its unseen cases."""
    outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        outcomes[case.category][quadrant_of(case.baseline_correct, case.correct)] += 1
    logs = [case.log_ratio for case in cases if case.is_eligible and case.log_ratio is not None]
    return {
        "outcomes": {name: dict(sorted(own.items())) for name, own in sorted(outcomes.items())},
        "mean_speedup": fmean(map(exp, logs)) if logs else None,
        "log_speedup": fmean(logs) if logs else None,
    }


def calibration_figures(found: DeviceCalibration) -> dict[str, Any]:
    """Return a calibration's figures as JSON values; standard deviations and bias are of log ratios."""
    return {
        "accepted": found.acceptance.accepted,
        "made_at": found.made_at,
        "e0_ns": found.e0_ns,
        "aa_sd": found.acceptance.pooled_sd,
        "aa_bias": found.acceptance.bias,
        "aa_sessions": found.acceptance.sessions,
        "aa_cases": found.acceptance.cases,
        "floors": dict(found.floors),
    }


def cautious(ratio: Ratio) -> float:
    """Return the log ratio that metrics use: for a noisy case the end of its interval nearer to 0 (design §4.7).

    It is 0 where the interval contains 0 or has no bound on that side: such a case shows no speedup or slowdown.
    """
    if not ratio.noisy:
        return ratio.log_ratio
    if ratio.log_ratio > 0:
        return max(ratio.low, 0.0) if ratio.low is not None else 0.0
    return min(ratio.high, 0.0) if ratio.high is not None else 0.0


def _paper_speedup(record: Record) -> float | None:
    """Return the speedup on the category's clock by its paper; None if one time is missing.

    AgentKernelArena takes the mean ratio over all cases; KernelBench-X all of the baseline's time by all of the
    candidate's, here over the full cases. Times from a task's own script never count, whatever it calls its clock.
    """
    if Flag.SCRIPT_TIMED in record.flags or record.status is not Status.PASSED:
        return None
    name = PAPER_CLOCKS.get(record.task.category, "")
    cases = [case for case in record.cases if name != KBX_DO_BENCH or case.profile == "full"]
    timed = [clock for case in cases if (clock := case.clocks.get(name)) is not None]
    if not timed or len(timed) < len(cases):
        return None
    times = [(median(clock.baseline_ms), median(clock.candidate_ms)) for clock in timed]
    if name == KBX_DO_BENCH:
        return sum(baseline for baseline, _ in times) / sum(candidate for _, candidate in times)
    return fmean(baseline / candidate for baseline, candidate in times)


def _measurement(attempt: Attempt, record: Record, case: CaseRecord) -> Measurement:
    return Measurement(
        attempt=attempt,
        case=case.id,
        split=case.split,
        profile=case.profile,
        correct=case.correct if case.correct or record.gate == "correctness" else None,
        # A baseline that is wrong on a seen case is a fault of the task: the attempt ends without a verdict.
        baseline_correct=True if case.baseline_rmse is not None else None,
        draws=case.draws,
        relative_rmse=case.relative_rmse,
        allowed_rmse=case.allowed_rmse,
        baseline_rmse=case.baseline_rmse,
        first_call_ms=case.first_call_ms,
        clocks={name: _medians(clock) for name, clock in case.clocks.items() if name != T_DEV},
        **_ranked(case),
    )


def _ranked(case: CaseRecord) -> dict[str, Any]:
    """Return the columns of times on t_dev; none if the case was not timed on it."""
    clock, ratio = case.clocks.get(T_DEV), case.ratio
    if clock is None or ratio is None:
        return {}
    return {
        "baseline_t_dev_ms": median(clock.baseline_ms),
        "candidate_t_dev_ms": median(clock.candidate_ms),
        **_ratio_columns(ratio),
    }


def _ratio_columns(ratio: Ratio) -> dict[str, Any]:
    return {
        "log_ratio": ratio.log_ratio,
        "log_ratio_variance": ratio.variance,
        "log_ratio_df": ratio.df,
        "log_ratio_low": ratio.low,
        "log_ratio_high": ratio.high,
        "is_eligible": ratio.eligible,
        "is_censored": ratio.censored,
        "is_noisy": ratio.noisy,
    }


def _medians(clock: Clock) -> dict[str, float | int]:
    return {
        "baseline_ms": median(clock.baseline_ms),
        "candidate_ms": median(clock.candidate_ms),
        "calls": min(len(clock.baseline_ms), len(clock.candidate_ms)),
    }
