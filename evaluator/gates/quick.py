"""A quick look at a task on this device: are baseline and right candidate right, and how long do full cases take?

For the findings of tasks (tasks/measured.py), never for a result, and only for the task's own sources. So it leaves out
what stands between a candidate and a number: red zones, the judge's outside clock, the papers' clocks, later draws of a
kind, narrow intervals. One worker a side is checked and then timed, so each kernel compiles once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median

from evaluator.backends import Backend
from evaluator.errors import BaselineError
from evaluator.gates import correctness
from evaluator.gates.ahead import compile_ahead
from evaluator.gates.context import CaseState, Context
from evaluator.gates.correctness import JudgedDraw
from evaluator.gates.performance import FIRST_CALLS, alone, started, time_blocks
from evaluator.gates.scales import least_scales
from evaluator.gates.unseen import own_bound
from evaluator.judge.answers import deviation_of
from evaluator.judge.builds import build
from evaluator.judge.draws import Contents, Draw, first_draws
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.judge.side import Call, Runner, Side
from evaluator.judge.timing.overhead import read_event_pair
from evaluator.judge.timing.session import SIDES, Pair, SideName
from evaluator.sandbox import WorkerFault
from evaluator.tasks.spec import Case

BLOCKS = 3  # of ten calls a side: their median was within 0.8 % of ten blocks in 9 of 10 sessions on H200s
STEADY_S = 0.3  # of the highest clock before the first block; the last task has kept the device warm


@dataclass(slots=True)
class CaseLook:
    """One case: why a side is wrong on it, and for a full case its ns on T_dev in each session."""

    state: CaseState  # the candidate's
    wrong: dict[SideName, str] = field(default_factory=dict)
    times_ns: dict[SideName, list[float]] = field(default_factory=lambda: {name: [] for name in SIDES})

    @property
    def case(self) -> Case:
        return self.state.case

    @property
    def is_full(self) -> bool:
        return self.case.profile == "full"

    def time_ns(self, side: SideName) -> float | None:
        return median(self.times_ns[side]) if self.times_ns[side] else None


@dataclass(frozen=True, slots=True)
class Look:
    """`e0_ns`: an empty pair of events on this host. `seconds`: where the time went."""

    e0_ns: float
    cases: tuple[CaseLook, ...]
    seconds: Mapping[str, float]


def look(baseline: Context, candidate: Context, sessions: int) -> Look:
    """Look at both sides of a task. Each context has its own side as its candidate.

    Raises:
        BaselineError: a side does not build, or a call of it fails.
        WorkerError: a worker of the candidate ended.
    """
    contexts: dict[SideName, Context] = {"baseline": baseline, "candidate": candidate}
    candidate.baseline = baseline.candidate_side()
    with candidate.device_lock.released():
        build_all([context.candidate_side() for context in contexts.values()], candidate.backend)
    compile_ahead(candidate)
    looks = [CaseLook(CaseState(case)) for case in candidate.backend.cases(candidate.task)]
    e0_ns = list[float]()
    for index in range(sessions):
        waiting = looks if index == 0 else [one for one in looks if one.is_full]
        e0_ns.append(_session(contexts, waiting, index))
    return Look(median(e0_ns), tuple(looks), candidate.seconds)


def build_all(sides: Sequence[Side], backend: Backend) -> None:
    """Build the sides that are HIP sources, side by side.

    Raises:
        BaselineError: one does not build.
    """
    hip = [side for side in sides if side.language == "hip"]
    if not hip:
        return
    with ThreadPoolExecutor(len(hip)) as pool:
        builds = list(pool.map(lambda side: build(side, backend.toolchain), hip))
    for side, made in zip(hip, builds, strict=True):
        if made.product is None:
            raise BaselineError(f"{side.source} of {side.task.id} does not build: {made.native['log'][-1000:]}")
        side.product = made.product


def _session(contexts: Mapping[SideName, Context], looks: Sequence[CaseLook], index: int) -> float:
    """Call every case first, check it in the first session, and time the full ones; return E0."""
    candidate = contexts["candidate"]
    with ExitStack() as stack:
        with candidate.spending("workers"):
            runners = started(candidate, [contexts[name].candidate_side() for name in SIDES])
        for context, runner in zip((contexts[name] for name in SIDES), runners, strict=True):
            context.runner = runner
            stack.callback(context.close_runner)
        with candidate.spending("first_calls"):
            for one in looks:
                _call_first(contexts, one)
                candidate.give_way()
        if index == 0:
            with candidate.spending("checks"):
                _check(contexts, looks)
        with alone(candidate, runners[0], runners[1], STEADY_S if index == 0 else 0.0) as pair:
            e0_ns = read_event_pair(pair).ns
            for one in looks:
                if one.is_full and not one.wrong:
                    _time(candidate, pair, one, index)
    return e0_ns


def _call_first(contexts: Mapping[SideName, Context], one: CaseLook) -> None:
    """Compile what both sides launch on a case, side by side."""
    contents = contexts["candidate"].contents(one.case, FIRST_CALLS)

    def compiled(name: SideName) -> Rejection | None:
        try:
            _runner(contexts[name]).compile(one.case, contents)
        except WorkerFault as error:  # after which the worker goes on
            return rejection_of(error)
        return None

    with ThreadPoolExecutor(len(SIDES)) as pool:
        for name, rejection in zip(SIDES, pool.map(compiled, SIDES), strict=True):
            if rejection:
                one.wrong[name] = rejection.sentence


def _check(contexts: Mapping[SideName, Context], looks: Sequence[CaseLook]) -> None:
    """Check small cases and the first full one on the first draw of each name, the others on the standard one."""
    draws, is_first = first_draws(contexts["candidate"].task), True
    for one in looks:
        _check_case(contexts, one, draws if is_first or not one.is_full else draws[:1])
        is_first &= not one.is_full
        contexts["candidate"].give_way()


def _check_case(contexts: Mapping[SideName, Context], one: CaseLook, draws: Sequence[Draw]) -> None:
    """Note why a side is wrong on these draws. Tolerances follow the baseline's error, as on unseen cases."""
    candidate = contexts["candidate"]
    scales = one.state.least_scales = least_scales(candidate, one.case)
    states: dict[SideName, CaseState] = {
        "baseline": CaseState(one.case, least_scales=scales),
        "candidate": one.state,
    }
    for draw in draws:
        contents = candidate.contents(one.case, draw)
        calls = {name: _called(contexts[name], one.case, contents) for name in SIDES}
        reference = candidate.reference.outputs(one.case, contents)
        if isinstance(ours := calls["baseline"], Call):
            least = scales.get(draw.name, {})
            error = deviation_of(candidate.reference, one.case, contents, ours.outputs, reference, least)
            one.state.baseline_errors[draw.name] = error
            states["baseline"].baseline_errors[draw.name] = own_bound(error)
        for name in SIDES:
            judged = JudgedDraw(states[name], draw, contents, reference)
            if rejection := correctness.judged_call(contexts[name], judged, calls[name]).rejection:
                one.wrong.setdefault(name, rejection.sentence)
    for name in SIDES:
        # Calls with few samples are judged together only where a whole evaluation has made more of them.
        enough = all(evidence.calls_needed == 0 for evidence in states[name].samples.values())
        if enough and (rejection := correctness.samples_problem(states[name])):
            one.wrong.setdefault(name, rejection.sentence)


def _called(context: Context, case: Case, contents: Contents) -> Call | Rejection:
    try:
        return _runner(context).call(case, contents)
    except WorkerFault as error:
        return rejection_of(error)


def _runner(context: Context) -> Runner:
    assert context.runner is not None
    return context.runner


def _time(candidate: Context, pair: Pair, one: CaseLook, index: int) -> None:
    _, found = time_blocks(candidate, index, one.state, pair, BLOCKS)
    if isinstance(found, Rejection):
        one.wrong["candidate"] = found.sentence
        return
    one.times_ns["baseline"].append(found.baseline_ns)
    one.times_ns["candidate"].append(found.candidate_ns)
