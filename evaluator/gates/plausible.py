"""Can these times be true? What the integrity gate asks of every case that was timed on the device clock."""

from __future__ import annotations

from statistics import median

from evaluator.gates.context import CaseState, Context
from evaluator.judge.rejection import Rejection
from evaluator.records.calibration import DeviceCalibration
from evaluator.records.record import Finding
from evaluator.thresholds import (
    CLOCKS_AGREE,
    CROWDED_SHARE,
    DOUBTFUL,
    IMPLAUSIBLE,
    OUTSIDE_DOUBTFUL,
    OUTSIDE_NS,
    OUTSIDE_SHARE,
)

GATE = "integrity"


def implausible(context: Context) -> Rejection | None:
    """The first case whose times cannot be true; what is only doubtful is held for a person."""
    for state in context.cases.values():
        context.at_work = state
        if state.times:
            _hold_for_the_clocks(context, state)
            if rejection := _worked_outside(context, state) or _above_peak(context, state, context.calibration):
                return rejection
    return None


def _worked_outside(context: Context, state: CaseState) -> Rejection | None:
    """Work that the stop event did not wait for, on another stream or from another thread; a little of it is held."""
    calls = sum(len(block.candidate_ns) for found in state.times for block in found.session.blocks)
    others, crowded = (sum(found.crowded[side] for found in state.times) for side in (0, 1))
    if crowded > CROWDED_SHARE * calls and crowded > 2 * others:
        text = f"case {state.case.id}: the device was not free around {crowded} of {calls} calls"
        return Rejection("work_outside", text)
    outside = median(found.outside_ns for found in state.times)
    own = median(found.candidate_ns for found in state.times)
    text = f"case {state.case.id}: busy for {outside / 1e3:.1f} us more after calls of {own / 1e3:.1f} us"
    if outside > OUTSIDE_NS and outside > OUTSIDE_SHARE * own:
        return Rejection("work_outside", text)
    if outside > OUTSIDE_NS and outside > OUTSIDE_DOUBTFUL * own:
        context.hold(Finding(GATE, "work_outside", text))
    return None


def _above_peak(context: Context, state: CaseState, calibration: DeviceCalibration | None) -> Rejection | None:
    """Faster than this device's caches or arithmetic: fails; close to it: hold."""
    if calibration is None:
        return None
    time_ns = median(found.candidate_ns for found in state.times)
    moved, computed = context.task.work_of(state.case)
    for amount, unit, rate in (
        (moved, "bytes", calibration.cache_bytes_per_s),
        (computed, "operations", calibration.flops_per_s),
    ):
        share = amount / rate * 1e9 / time_ns
        text = f"case {state.case.id}: {amount:.3g} {unit} in {time_ns / 1e3:.1f} us are {share:.2f} of the peak"
        if share > IMPLAUSIBLE:
            return Rejection("impossible_time", text)
        if share > DOUBTFUL:
            context.hold(Finding(GATE, "above_peak", text))
    return None


def _hold_for_the_clocks(context: Context, state: CaseState) -> None:
    """Events of a loop that say less than the judge's own clock; where the baseline's do too it is the host."""
    ours, theirs = (median(found.disagreement[side] for found in state.others) for side in (0, 1))
    if -theirs > CLOCKS_AGREE >= abs(ours):
        text = f"case {state.case.id}: events say {-theirs:.1%} less than the judge's clock over the same loop"
        context.hold(Finding(GATE, "clocks_disagree", text))
