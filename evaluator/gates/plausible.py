"""Plausibility of times: checks of the integrity gate on every case that was timed on the device clock.

Of two sessions both have to show what accuses: a mean would let one that was disturbed accuse an honest candidate. So
of an even number the less suspicious of the two in the middle counts, the low excess and the high time.
"""

from __future__ import annotations

from statistics import median_high, median_low

from evaluator.gates.context import CaseState, Context
from evaluator.gates.plain.found import KEEPS_STATE
from evaluator.judge.rejection import Rejection
from evaluator.judge.timing.outside import OutsideTimes
from evaluator.records.record import Finding
from evaluator.thresholds import (
    CLOCKS_AGREE,
    CROWDED_SHARE,
    DOUBTFUL,
    EIGHT_BITS,
    IMPLAUSIBLE,
    LEAST_CROWDED,
    LEAST_CROWDED_SHARE,
    OUTSIDE_DOUBTFUL,
    OUTSIDE_NS,
    OUTSIDE_SHARE,
    T_OUT_SLACK_NS,
    T_OUT_SLACK_SHARE,
    T_OUT_TOO_NOISY,
    least_ns,
)

GATE = "integrity"


def implausible(context: Context) -> Rejection | None:
    """Return the rejection of the first case with impossible times; put doubtful ones on hold."""
    for state in context.cases.values():
        context.at_work = state
        if state.times:
            _hold_for_the_clocks(context, state)
            for check in (_worked_outside, _unseen_outside, _above_peak):
                if rejection := check(context, state):
                    return rejection
    return None


def _worked_outside(context: Context, state: CaseState) -> Rejection | None:
    """Reject work that the stop event did not wait for, on another stream or thread; a little of it is put on hold."""
    calls = sum(len(block.candidate_ns) for found in state.times for block in found.session.blocks)
    others, crowded = (sum(found.crowded[side] for found in state.times) for side in (0, 1))
    least = min(LEAST_CROWDED, LEAST_CROWDED_SHARE * calls)
    if crowded >= least and crowded > CROWDED_SHARE * calls and crowded > 2 * others:
        text = f"case {state.case.id}: the device was not free around {crowded} of {calls} calls"
        return Rejection("work_outside", text)
    outside = median_low(found.outside_ns for found in state.times)
    own = median_high(found.candidate_ns for found in state.times)
    text = f"case {state.case.id}: the device stayed busy for {outside / 1e3:.1f} us after calls of {own / 1e3:.1f} us"
    if outside > OUTSIDE_NS and outside > OUTSIDE_SHARE * own:
        return Rejection("work_outside", text)
    if outside > OUTSIDE_NS and outside > OUTSIDE_DOUBTFUL * own:
        context.hold(Finding(GATE, "work_outside", text))
    return None


def _unseen_outside(context: Context, state: CaseState) -> Rejection | None:
    """Reject a speed on T_dev that the judge's own clock does not show; hold a case on which that cannot be asked."""
    if state.ratio is None or not state.ratio.eligible or context.is_quick:
        return None
    outside = state.outside or OutsideTimes(lacking="it was not taken")
    own_ns = median_high(found.candidate_ns for found in state.times)
    counted_ns = max(own_ns, least_ns(context.backend.device_class))  # that of a censored case is the least
    noisy = "its readings vary too much" if outside.noise_ns > T_OUT_TOO_NOISY * counted_ns else None
    if lacking := outside.lacking or noisy:
        text = f"case {state.case.id}: the judge's own clock cannot be taken: {lacking}"
        _without_outside_clock(context, Finding(GATE, "no_outside_clock", text))
        return None
    hidden_ns = min(outside.surplus_ns, outside.excess_ns)
    slack_ns = T_OUT_SLACK_NS + T_OUT_SLACK_SHARE * own_ns + outside.noise_ns
    if hidden_ns <= slack_ns:
        return None
    baseline_ns = median_high(found.baseline_ns for found in state.times)
    if T_OUT_SLACK_SHARE * baseline_ns > slack_ns:
        text = f"case {state.case.id}: the baseline takes {baseline_ns / own_ns:.1f} times as long, so its noise hides"
        context.hold(Finding(GATE, "no_outside_clock", f"{text} whether the judge's own clock agrees"))
        return None
    seen_ns = own_ns + hidden_ns
    text = f"case {state.case.id}: events say {own_ns / 1e3:.1f} us, the judge's own clock {seen_ns / 1e3:.1f} us"
    return Rejection("impossible_time", text)


def _without_outside_clock(context: Context, finding: Finding) -> None:
    """Hold the result, but not for what every honest call does: wait for the length of a varying output.

    A candidate that keeps state is held all the same: only on that clock is every output judged.
    """
    keeps_state = any(one.code == KEEPS_STATE for one in context.findings)
    if keeps_state or not any(output.varying for output in context.task.outputs):
        context.hold(finding)
    else:
        context.findings.append(finding)


def _above_peak(context: Context, state: CaseState) -> Rejection | None:
    """Reject times above the peak of this device's caches or arithmetic; put those close to it on hold."""
    calibration = context.calibration
    if calibration is None:
        return None
    time_ns = median_high(found.candidate_ns for found in state.times)
    moved, computed = context.task.work_of(state.case)
    for amount, unit, rate in (
        (moved, "bytes", calibration.cache_bytes_per_s),
        (computed, "operations", calibration.flops_per_s * (EIGHT_BITS if _is_in_8_bits(context, state) else 1)),
    ):
        share = amount / rate * 1e9 / time_ns
        text = f"case {state.case.id}: {amount:.3g} {unit} in {time_ns / 1e3:.1f} us is {share:.2f} times the peak"
        if share > IMPLAUSIBLE:
            return Rejection("impossible_time", text)
        if share > DOUBTFUL:
            context.hold(Finding(GATE, "above_peak", text))
    return None


def _is_in_8_bits(context: Context, state: CaseState) -> bool:
    """Whether matrix units may multiply numbers of 8 bits; the calibration measures their rate for bfloat16."""
    dtypes = {context.task.dtype_of(item.dtype, state.case) for item in context.task.inputs if not item.is_number}
    return "int8_dot" in context.requirements or any(one == "int8" or one.startswith("float8") for one in dtypes)


def _hold_for_the_clocks(context: Context, state: CaseState) -> None:
    """Put on hold if events show less time than the judge's clock; if the baseline's do too, the host is the cause."""
    if context.is_quick:
        return
    ours = median_high(abs(found.disagreement[0]) for found in state.others)
    less = median_low(-found.disagreement[1] for found in state.others)
    if less > CLOCKS_AGREE >= ours:
        text = f"case {state.case.id}: events show {less:.1%} less time than the judge's clock for the same loop"
        context.hold(Finding(GATE, "clocks_disagree", text))
