"""The performance gate: timed sessions on the device clock until intervals are narrow; on a CPU the functional clock.

No candidate fails for being slow. Outputs of timed calls are checked afterwards, and implausible times fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median
from time import monotonic

import torch

from evaluator.backends import Backend
from evaluator.errors import BaselineError, SandboxError
from evaluator.gates import compile as compile_gate
from evaluator.gates import ratio
from evaluator.gates.ahead import compile_ahead
from evaluator.gates.context import CaseState, Context, let_go, release
from evaluator.gates.contracts import hold_too_exact
from evaluator.gates.correctness import JudgedDraw, wrong_when_timed
from evaluator.gates.functional import functional_pass
from evaluator.gates.plain.found import KEEPS_STATE
from evaluator.judge.draws import Contents, Draw
from evaluator.judge.rejection import Rejection
from evaluator.judge.side import LOAD_S, Call, Runner, Side, blaming_baseline
from evaluator.judge.timing.clocks import OtherClocks, other_clocks
from evaluator.judge.timing.outside import outside_times
from evaluator.judge.timing.overhead import EventPair, time_as_on_reference
from evaluator.judge.timing.remote import Rejected, canary_ns, heat
from evaluator.judge.timing.session import CaseTimes, Enough, Pair, SideName
from evaluator.judge.timing.slabs import Slabs
from evaluator.records.calibration import DeviceCalibration, read_calibration
from evaluator.records.measurements import KBX_DO_BENCH, PAPER_CLOCKS
from evaluator.records.reasons import Flag
from evaluator.sandbox import Worker
from evaluator.thresholds import (
    BASELINE_SHARE,
    BLOCKS,
    CLOCK_SHARE,
    EXTEND_BUDGET_S,
    FLUSH_FACTOR,
    MAX_SESSIONS,
    PREHEAT_MAX_S,
    PREHEAT_STEADY_S,
    SESSIONS,
    SPACER_FACTOR,
    SPACER_NS,
    SPACER_PATIENCE_NS,
    SPREAD_SESSIONS,
)

NAME = "performance"
HEATS = 10  # before the canaries that show whether the device is as fast as usual
FIRST_CALLS = Draw("standard", "standard", 1000)  # contents that no correctness check has used


def check(context: Context) -> Rejection | None:
    """Time every case on this host's clock."""
    assert context.baseline is not None
    if not context.backend.has_clock:
        return functional_pass(context)
    calibration = context.calibration
    if calibration is None or not calibration.acceptance.accepted:
        context.flags.add(Flag.UNCALIBRATED)
    timed = Timed()
    if rejection := _sessions(context, timed, calibration):
        return rejection
    for state in context.cases.values():
        if state.times:  # none in every_verdict, where wrong outputs of timed calls stop only their case
            ratio.conclude(context, state, calibration)
    hold_too_exact(context, NAME)
    return None


def against_itself(context: Context, sessions: int) -> Iterator[dict[str, CaseTimes]]:
    """Yield A/A sessions, with the baseline as both sides: times by full case. The context's candidate is the baseline.

    Raises:
        BaselineError: the baseline does not work on this device, or its times are not usable.
    """
    context.baseline = context.open_side(context.baseline_files)
    for side in (context.baseline, context.candidate_side()):
        if rejection := compile_gate.build_trusted(side, context):
            raise BaselineError(f"the baseline of {context.task.id}: {rejection.of_baseline}")
    compile_ahead(context)
    full = (case for case in context.backend.cases(context.task) if case.profile == "full")
    context.cases = {case.id: CaseState(case) for case in full}
    for index in range(sessions):
        before = {name: len(state.times) for name, state in context.cases.items()}
        with blaming_baseline(context.task):
            rejection = _session(context, Timed(index, may_end_early=False), list(context.cases.values()), None)
        if rejection:
            raise BaselineError(f"the baseline of {context.task.id} against itself: {rejection.of_baseline}")
        yield {name: state.times[-1] for name, state in context.cases.items() if len(state.times) > before[name]}


def clocked(context: Context, side: Side) -> Runner:
    """Start a worker with timing instruments that has loaded the side; it uses torch's own allocator, as users do."""
    with blaming_baseline(context.task) if side is context.baseline else nullcontext():
        return side.runner(zones=False, clock=clock_options(context.backend))


def try_device(worker: Worker, backend: Backend) -> None:
    """Check with an empty worker that the device is as fast as at its calibration.

    Raises:
        WorkerError, SandboxError: the device fails, or is slower.
    """
    worker.call("attach", timeout_s=LOAD_S, device=backend.torch_device, allocator=None, cross_compile=False)
    worker.call("clock", timeout_s=LOAD_S, **clock_options(backend))
    for _ in range(HEATS):
        heat(worker)
    seen = [canary_ns(worker) for _ in range(HEATS)]
    calibration = read_calibration(backend.host())
    if calibration is not None:
        for index, usual_ns in enumerate(calibration.canary_ns):
            if (time_ns := median(canary[index] for canary in seen)) > usual_ns * (1 + BASELINE_SHARE):
                raise SandboxError(f"a canary takes {time_ns / 1e3:.1f} us, usually {usual_ns / 1e3:.1f} us")


@dataclass(slots=True)
class Timed:
    """The progress of the timed sessions."""

    index: int = 0  # the next session's
    may_end_early: bool = True  # a case's blocks; not in A/A sessions, so that acceptance is of ten blocks on any host
    void: list[str] = field(default_factory=list)  # why sessions were discarded


def _sessions(context: Context, timed: Timed, calibration: DeviceCalibration | None) -> Rejection | None:
    while waiting := _waiting(context, timed, calibration):
        rejection = _session(context, timed, waiting, calibration)
        timed.index += 1
        if rejection:
            return rejection
    if timed.void and any(_has_few(context, state, calibration) for state in context.cases.values()):
        raise SandboxError(f"{len(timed.void)} of {timed.index} sessions are void: {timed.void[-1]}")
    return None


def _waiting(context: Context, timed: Timed, calibration: DeviceCalibration | None) -> list[CaseState]:
    """Return the cases that need another session: with too few, or with a wide interval while there is time."""
    wants_every_verdict = context.passed_over is not None  # in which a session may yield no times
    if timed.index >= (context.sessions if wants_every_verdict else MAX_SESSIONS):
        return []
    states = list(context.cases.values())
    few = [state for state in states if _has_few(context, state, calibration)]
    if few or context.seconds.get("timed", 0.0) > EXTEND_BUDGET_S or context.sessions < SESSIONS:
        return few
    return [state for state in states if ratio.is_worth_another(context, state.times, calibration)]


def _has_few(context: Context, state: CaseState, calibration: DeviceCalibration | None) -> bool:
    """Return whether a case has too few sessions; one is enough for a case too short to claim a speedup for.

    Without a floor its interval has no ends before SPREAD_SESSIONS, however long its sessions take.
    """
    if state.times and not ratio.claims_speedup(state.times[0].baseline_ns, context.backend.device_class):
        return False
    least = context.sessions
    if least >= SESSIONS and state.times and ratio.floor_of(state.times, calibration) is None:
        least = max(least, SPREAD_SESSIONS)
    return len(state.times) < least


def _session(
    context: Context, timed: Timed, cases: list[CaseState], calibration: DeviceCalibration | None
) -> Rejection | None:
    """Time every waiting case with fresh workers; the papers' clocks only in its first session."""
    steady_s = PREHEAT_STEADY_S if timed.index == 0 else 0.0
    with paired(context, context.candidate_side(), cases, goes_first=timed.index % 2 == 1, steady_s=steady_s) as pair:
        for state in cases:
            rejection = _time(context, timed, state, pair, calibration)
            if rejection and context.decides(rejection):
                return rejection
    return None


@contextmanager
def paired(
    context: Context, other: Side, cases: Sequence[CaseState], *, goes_first: bool = False, steady_s: float = 0.0
) -> Iterator[Pair]:
    """Open a session of the baseline and another side: fresh workers whose first calls are made, alone on the device.

    `goes_first`: the other side's first calls are. `steady_s`: how long the device's clock must have been steady.
    """
    assert context.baseline is not None
    baseline = context.baseline
    order = (other, baseline) if goes_first else (baseline, other)
    with ExitStack() as stack:
        with context.spending("workers"):
            runners = {id(runner.side): stack.enter_context(runner) for runner in started(context, order)}
        with context.spending("first_calls"):
            for side in order:
                _call_first(context, runners[id(side)], cases)
        yield stack.enter_context(alone(context, runners[id(baseline)], runners[id(other)], steady_s))


@contextmanager
def turn(context: Context) -> Iterator[None]:
    """Have the device alone, once no sandbox or worker is being started; others do not wait for that."""
    with context.spending("settling"), context.device_lock.released():
        context.settle()
    with context.device_lock.alone():
        yield


@contextmanager
def alone(context: Context, baseline: Runner, candidate: Runner, steady_s: float) -> Iterator[Pair]:
    """Open a timed session of two workers: the device for them alone, preheated; at the end its memory is freed.

    Call after all first calls, which compile for half a minute and can run beside other evaluations.
    """
    context.at_work = None
    release(context.backend)
    with turn(context), ExitStack() as stack:
        stack.push(partial(let_go, context.backend))
        pair = Pair(baseline, candidate, context.backend.sample)
        stack.callback(pair.release)
        with context.spending("preheat"):
            _preheat(context, pair, steady_s)
        yield pair


def started(context: Context, sides: Sequence[Side]) -> list[Runner]:
    """Start the workers of both sides in parallel: creating their device contexts takes long."""
    with context.device_lock.released():
        for side in sides:
            side.ready_sandbox()
    with ThreadPoolExecutor(len(sides)) as pool:
        futures = [pool.submit(clocked, context, side) for side in sides]
    errors = [error for future in futures if (error := future.exception())]
    if errors:
        for future in futures:
            if not future.exception():
                side, worker = future.result().side, future.result().worker
                side.close(worker)
        raise errors[0]
    return [future.result() for future in futures]


def _call_first(context: Context, runner: Runner, cases: Sequence[CaseState]) -> None:
    """Compile and tune every kernel, so that no clock sees first calls. Sessions of other evaluations come first."""
    with blaming_baseline(context.task) if runner.side is context.baseline else nullcontext():
        for state in cases:
            context.give_way()
            context.at_work = state
            runner.compile(state.case, context.contents(state.case, FIRST_CALLS))


def clock_options(backend: Backend) -> dict[str, object]:
    """Return the parameters of a worker's timing instruments."""
    return {
        "device": backend.torch_device,
        "library": str(backend.bench),
        "flush_bytes": FLUSH_FACTOR * backend.cache_bytes,
        "spacer_ns": list(SPACER_NS),
        "spacer_factor": SPACER_FACTOR,
        "patience_ns": SPACER_PATIENCE_NS,
    }


def _preheat(context: Context, pair: Pair, steady_s: float) -> None:
    """Keep the device busy until its clock has been near its highest for `steady_s`, at most PREHEAT_MAX_S."""
    begin = steady_since = monotonic()
    highest = 0
    while monotonic() - begin < PREHEAT_MAX_S:
        pair.heat()
        clock = context.backend.sample().clock_mhz or 0
        if clock > highest * (1 + CLOCK_SHARE):
            highest, steady_since = clock, monotonic()
        if monotonic() - steady_since >= steady_s:
            break


def _time(
    context: Context, timed: Timed, state: CaseState, pair: Pair, calibration: DeviceCalibration | None
) -> Rejection | None:
    """Time one case in one session. A void session goes into the record but does not count."""
    context.at_work = state
    enough = (
        partial(ratio.has_enough_blocks, calibration, context.backend.device_class) if timed.may_end_early else None
    )
    slabs, found = time_blocks(context, timed.index, state, pair, enough=enough)
    if isinstance(found, Rejection):
        return Rejection(found.reason, f"case {state.case.id}, {found.detail}", found.log)
    others = None
    try:
        if state.outside is None and not context.is_quick:
            with context.spending("outside_clock"):
                keeps_state = any(finding.code == KEEPS_STATE for finding in context.findings)
                state.outside = outside_times(
                    pair, slabs, found, partial(wrong, context, state), every_output=keeps_state
                )
        if not context.is_quick:
            with context.spending("other_clocks"):
                others = _other_clocks(context, state, pair)
    except Rejected as error:
        worse = error.rejection
        return Rejection(worse.reason, f"case {state.case.id}, {worse.detail}", worse.log)
    void = found.session.void or _disturbed(context, state, found, calibration)
    state.sessions.append(replace(found.session, void=void))
    if void:
        timed.void.append(f"case {state.case.id}: {void}")
    else:
        state.times.append(found)
        state.others += [others] if others else []
    return None


def _other_clocks(context: Context, state: CaseState, pair: Pair) -> OtherClocks:
    """Take T_call; in the first session that counts also the papers' clocks.

    KernelBench-X's costs a quarter of a second a case: it is taken in that paper's category alone, on full cases.
    """
    is_first = not state.others
    is_timed_by_kbx = PAPER_CLOCKS.get(context.task.category) == KBX_DO_BENCH and state.case.profile == "full"
    return other_clocks(pair, paper=is_first, kernelbench_x=is_first and is_timed_by_kbx)


def time_blocks(
    context: Context, session: int, state: CaseState, pair: Pair, blocks: int = BLOCKS, enough: Enough | None = None
) -> tuple[Slabs, CaseTimes | Rejection]:
    """Time the blocks of one case in one session; return the case's contents, too."""
    with context.spending("contents"):
        slabs = Slabs(context.task, state.case, context.seed, session, context.backend.torch_device)
    with context.spending("timed"):
        judge, device_class = partial(wrong, context, state), context.backend.device_class
        return slabs, time_as_on_reference(pair, slabs, judge, device_class, blocks, enough)


def wrong(
    context: Context, state: CaseState, side: SideName, contents: Contents, outputs: Mapping[str, torch.Tensor]
) -> Rejection | None:
    """Judge the outputs of a timed call."""
    if not state.draws:  # an A/A session: no outputs were checked, so there is no tolerance from the baseline
        return None
    with context.spending("judging"):
        reference = context.reference.outputs(state.case, contents)
        # Only the candidate's errors go to the record, and only its numbers to the evidence.
        recorded = state if side == "candidate" else replace(state, numbers={}, contracts={})
        judged, call = JudgedDraw(recorded, FIRST_CALLS, contents, reference), Call(0, outputs)
        return wrong_when_timed(context, judged, call, context.fresh_baseline())


def _disturbed(
    context: Context, state: CaseState, found: CaseTimes, calibration: DeviceCalibration | None
) -> str | None:
    """Return why the session is void if baseline or canaries are slower than usual on this device, else None."""
    if calibration is None:
        return None
    if (pair := found.session.event_pair_ns) and (problem := EventPair(*pair).why_void(calibration.e0_ns)):
        return problem
    usual_ns = calibration.baseline_ns(context.task.digest, state.case.id)
    seen = {"the baseline": (found.baseline_ns, usual_ns)}
    for name, time_ns, idle_ns in zip(("read", "arithmetic"), found.canary_ns, calibration.canary_ns, strict=True):
        seen[f"the canary's {name}"] = (time_ns, idle_ns)
    for name, (time_ns, usual_ns) in seen.items():
        if usual_ns is not None and time_ns > usual_ns * (1 + BASELINE_SHARE):
            return f"{name} took {time_ns / 1e3:.1f} us, on this device usually {usual_ns / 1e3:.1f} us"
    return None
