"""The functional clock of a host without a device clock: a warm-up and three interleaved calls of each side.

Times are on the judge's clock from command to reply, including about 0.1 ms of communication. No limit on slowness.
"""

from __future__ import annotations

from contextlib import nullcontext
from time import monotonic

from evaluator.gates.context import CaseState, Context
from evaluator.gates.contracts import hold_too_exact
from evaluator.gates.correctness import JudgedDraw, wrong_when_timed
from evaluator.gates.coverage import check_coverage, note_coverage
from evaluator.judge.draws import Draw
from evaluator.judge.rejection import Rejection
from evaluator.judge.side import Runner, trusted_call, trusted_runner
from evaluator.records.measurements import FUNCTIONAL, Clock
from evaluator.records.reasons import Flag

NAME = "performance"
CALLS, CASE_BUDGET_S = 3, 2.0
TIMED = 1000  # index of the first timed draw: no checked draw has these indices


def functional_pass(context: Context) -> Rejection | None:
    """Time every case on the functional clock and check every output."""
    assert context.baseline is not None
    with trusted_runner(context.baseline) as baseline, context.candidate_side().runner() as candidate:
        for state in context.cases.values():
            context.at_work = state
            if FUNCTIONAL in state.clocks:  # timed before the worker died on another case
                continue
            if rejection := _time_case(context, state, baseline, candidate):
                return rejection
    check_coverage(context, NAME)
    hold_too_exact(context, NAME)
    context.flags.add(Flag.FUNCTIONAL)
    return None


def _time_case(context: Context, state: CaseState, baseline: Runner, candidate: Runner) -> Rejection | None:
    """Time interleaved calls, each on new contents: up to three pairs within the time budget, at least one."""
    times: tuple[list[float], list[float]] = ([], [])
    until = monotonic() + CASE_BUDGET_S
    for index in range(CALLS + 1):
        last = index == CALLS or (index > 0 and monotonic() > until)
        draw = Draw("standard", "standard", TIMED + index)
        contents = context.contents(state.case, draw)
        ours, theirs = trusted_call(baseline, state.case, contents), candidate.call(state.case, contents)
        if isinstance(theirs, Rejection):
            return theirs
        note_coverage(state, theirs)
        reference = context.reference.outputs(state.case, contents)
        if rejection := wrong_when_timed(
            context, JudgedDraw(state, draw, contents, reference), theirs, nullcontext(baseline)
        ):
            return rejection
        if index > 0:
            times[0].append(ours.wall_ns / 1e6)
            times[1].append(theirs.wall_ns / 1e6)
        if last:
            break
    state.clocks[FUNCTIONAL] = Clock(tuple(times[0]), tuple(times[1]))
    return None
