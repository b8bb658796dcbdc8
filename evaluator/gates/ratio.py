"""Conclude a case: its ratio with a confidence interval, its clocks and its flags, from its sessions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from evaluator.gates.context import CaseState, Context
from evaluator.judge.timing.estimate import RatioEstimate, estimate, has_narrow_blocks, widened
from evaluator.judge.timing.session import CaseTimes
from evaluator.records.calibration import DeviceCalibration, Floor
from evaluator.records.measurements import T_CALL, T_DEV, T_OUT, Clock, Ratio
from evaluator.records.reasons import Flag
from evaluator.records.record import Finding
from evaluator.thresholds import HOST_BOUND, HOST_VISIBLE_SHARE, eligible_ns, least_ns

GATE = "performance"


def floor_of(times: Sequence[CaseTimes], calibration: DeviceCalibration | None) -> Floor | None:
    """The spread of A/A sessions of kernels as long as the case's two sides; None where it is not known."""
    baseline_ns = median(found.baseline_ns for found in times)
    candidate_ns = median(found.candidate_ns for found in times)
    return calibration.floor(baseline_ns, candidate_ns) if calibration else None


def estimate_of(times: Sequence[CaseTimes], calibration: DeviceCalibration | None) -> RatioEstimate:
    found = estimate([found.values for found in times], floor_of(times, calibration))
    return widened(found, max(one.overhead_error for one in times))


def has_enough_blocks(
    calibration: DeviceCalibration | None,
    device_class: str,
    values: Sequence[float],
    baseline_ns: float,
    candidate_ns: float,
) -> bool:
    """Whether a case's session may end: its blocks tell enough, or the case is too short to claim a speedup for."""
    floor = calibration.floor(baseline_ns, candidate_ns) if calibration else None
    return not claims_speedup(baseline_ns, device_class) or has_narrow_blocks(values, floor)


def is_worth_another(context: Context, times: Sequence[CaseTimes], calibration: DeviceCalibration | None) -> bool:
    """Return whether the interval is still wide, on a case for which a speedup can be claimed."""
    device_class = context.backend.device_class
    can_count = _is_long(times, device_class) and not _is_censored(times, device_class)
    return can_count and estimate_of(times, calibration).is_wide


def conclude(context: Context, state: CaseState, calibration: DeviceCalibration | None) -> None:
    """Fill in the case's clocks and ratio; flags and findings go to the evaluation."""
    baseline = [found.baseline_ns for found in state.times]
    candidate = [found.candidate_ns for found in state.times]
    state.clocks[T_DEV] = Clock(tuple(t / 1e6 for t in baseline), tuple(t / 1e6 for t in candidate))
    for name in {name for found in state.others for name in found.clocks}:
        clocks = [found.clocks[name] for found in state.others if name in found.clocks]
        state.clocks[name] = Clock(
            tuple(time for clock in clocks for time in clock.baseline_ms),
            tuple(time for clock in clocks for time in clock.candidate_ms),
        )
    if (outside := state.outside) and min(outside.baseline_ns, outside.candidate_ns) > 0:
        state.clocks[T_OUT] = Clock((outside.baseline_ns / 1e6,), (outside.candidate_ns / 1e6,))
    state.ratio = _ratio(state.times, calibration, context.backend.device_class)
    _flag(context, state, state.ratio)


def _ratio(times: Sequence[CaseTimes], calibration: DeviceCalibration | None, device_class: str) -> Ratio:
    found = estimate_of(times, calibration)
    censored = _is_censored(times, device_class)
    # A time below the measurable minimum counts as the minimum, so the ratio is a lower bound.
    candidate_ns = median(one.candidate_ns for one in times)
    shift = min(0.0, math.log(candidate_ns / least_ns(device_class)))
    return Ratio(
        log_ratio=found.log_ratio + shift,
        variance=_finite(found.variance),
        df=_finite(found.df),
        low=_finite(found.low + shift),
        high=None if censored else _finite(found.high),
        eligible=_is_long(times, device_class),
        censored=censored,
        noisy=found.is_wide or any(session.is_disturbed for session in times),
    )


def _is_long(times: Sequence[CaseTimes], device_class: str) -> bool:
    return claims_speedup(median(found.baseline_ns for found in times), device_class)


def claims_speedup(baseline_ns: float, device_class: str) -> bool:
    """Whether a speedup is claimed over a baseline of this time."""
    return baseline_ns >= eligible_ns(device_class)


def _is_censored(times: Sequence[CaseTimes], device_class: str) -> bool:
    """Return whether the candidate is faster than T_dev can see."""
    return median(found.candidate_ns for found in times) < least_ns(device_class)


def _flag(context: Context, state: CaseState, ratio: Ratio) -> None:
    """Set flags on cases for which a speedup is claimed; a tiny case is always host-bound."""
    if not ratio.eligible:
        return
    factor, extra_ns = HOST_BOUND
    calls_ns = 0.0 if context.is_quick else median(state.clocks[T_CALL].candidate_ms) * 1e6
    marks = {
        Flag.CENSORED: ratio.censored,
        Flag.NOISY: ratio.noisy,
        Flag.HOST_BOUND: calls_ns > factor * median(found.candidate_ns for found in state.times) + extra_ns,
    }
    context.flags |= {flag for flag, holds in marks.items() if holds}
    calls = sum(len(block.candidate_ns) for found in state.times for block in found.session.blocks)
    visible = sum(found.session.visible for found in state.times)
    if visible > HOST_VISIBLE_SHARE * calls:
        text = (
            f"case {state.case.id}: {visible} of {calls} timed calls took longer on the host than the device was held"
        )
        context.findings.append(Finding(GATE, "host_visible", text))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
