"""Baseline and candidate on cases that no agent has seen: what either does wrong on one case says nothing of the next.

Each side goes through the gates in a context of its own, as if it had been handed in. A worker lives from case to case
until its side fails; the next case then finds a fresh one. Times exist where both sides are right.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace

from evaluator.errors import BaselineError, EvaluatorError, SandboxError
from evaluator.gates import compile as compile_gate
from evaluator.gates import correctness, integrity, performance, source
from evaluator.gates.context import CaseState, Context, checked
from evaluator.gates.correctness import JudgedDraw
from evaluator.gates.isa import launch_problem
from evaluator.gates.scales import least_scales
from evaluator.judge.compare import Deviation
from evaluator.judge.draws import Contents, draws_of
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.judge.side import Call, Order, Runner, blaming_baseline
from evaluator.sandbox import WorkerError
from evaluator.tasks.spec import Case
from evaluator.unseen.cases import UnseenCase

SESSIONS = 1  # of the device clock: what differs between processes goes into the floor of the host's A/A sessions
# Ours on one case. RuntimeError and MemoryError are torch's: nobody has made inputs and reference of this case before.
FAULTS = (EvaluatorError, RuntimeError, MemoryError)


@dataclass(slots=True)
class Half:
    """One side on one case: right, unless there is a rejection. `barred`: what turns the side away from all cases."""

    context: Context
    trusted: bool  # the task's own source
    state: CaseState
    barred: Rejection | None
    rejection: Rejection | None = None
    forward: list[JudgedDraw] = field(default_factory=list)  # a CPU runs some of them again, in reversed order
    lent: dict[str, Deviation | None] = field(default_factory=dict)  # of a trusted side, by the draw's name

    def restart(self) -> None:
        self.state, self.rejection, self.forward = CaseState(self.state.case), self.barred, []
        self.lent = {}

    def fail(self, rejection: Rejection) -> None:
        """It is not asked again on this case, and the next case finds a fresh worker."""
        self.rejection, self.state.correct = self.context.charged(rejection), False
        self.context.close_runner()

    @contextmanager
    def charging(self) -> Iterator[None]:
        """What ends its worker is the side's."""
        try:
            yield
        except WorkerError as error:
            self.fail(rejection_of(error))


@dataclass(slots=True)
class UnseenTrial:
    unseen: UnseenCase
    baseline: Half
    candidate: Half

    @property
    def halves(self) -> tuple[Half, Half]:
        return self.baseline, self.candidate

    @property
    def case(self) -> Case:
        return self.unseen.case

    @property
    def both_right(self) -> bool:
        return all(half.rejection is None for half in self.halves)

    def give_up(self, error: Exception) -> None:
        """An evaluation error, in no denominator; its text goes to the log."""
        self.candidate.context.log.append("".join(traceback.format_exception(error)))
        for half in self.halves:
            half.rejection, half.state.correct = Rejection("host_fault", str(error)), False


def judge(baseline: Context, candidate: Context, cases: Sequence[UnseenCase]) -> list[UnseenTrial]:
    """Both sides on every case. In `baseline` the task's own source stands as the candidate."""
    with candidate.spending("compile"):
        barred = [_barred(baseline, trusted=True), _barred(candidate, trusted=False)]
    trials = [
        UnseenTrial(
            one,
            Half(baseline, True, CaseState(one.case), barred[0]),
            Half(candidate, False, CaseState(one.case), barred[1]),
        )
        for one in cases
    ]
    with candidate.spending("correctness"):
        _each(trials, _forward)
        if candidate.runs_reversed:
            _each(trials, _reversed)
    with candidate.spending("performance"):
        _time(trials, baseline, candidate)
    _look_after(trials, candidate)
    return trials


def _barred(context: Context, trusted: bool) -> Rejection | None:
    """What turns a side away before any case: its source or its build. Ours, if that happens twice."""
    through = _through_trusted_build if trusted else _through_build
    for _ in range(2):
        try:
            return through(context)
        except (SandboxError, BaselineError) as error:
            fault = Rejection("host_fault", str(error))
            context.renew()
    return fault


def _through_trusted_build(context: Context) -> Rejection | None:
    return compile_gate.build_trusted(context.candidate_side(), context)


def _through_build(context: Context) -> Rejection | None:
    try:
        return source.check(context) or compile_gate.load(context, cross_compile=_cross_compiles(context))
    except WorkerError as error:
        context.close_runner()
        return rejection_of(error)


def _cross_compiles(context: Context) -> bool:
    """A host without a card stands in for gfx942, so that its compiler has a say; elsewhere the card has it."""
    return context.backend.torch_device == "cpu"


def _compiles_launches(context: Context) -> bool:
    return _cross_compiles(context) and context.candidate_side().language == "python"


def _each(trials: list[UnseenTrial], step: Callable[[UnseenTrial], None]) -> None:
    """A step on every case, once more after a fault of ours; no worker is left."""
    for trial in trials:
        if not _done(trial, step, is_last=False):
            _done(trial, step, is_last=True)
        trial.candidate.context.give_way()
    for half in trials[0].halves:
        try:
            half.context.close_runner()
        except SandboxError:
            half.context.renew()


def _done(trial: UnseenTrial, step: Callable[[UnseenTrial], None], *, is_last: bool) -> bool:
    """False after a fault, once nothing is left of the try: an error that is kept would keep its tensors."""
    try:
        step(trial)
    except FAULTS as error:
        for half in trial.halves:
            half.context.renew()
        if is_last:
            trial.give_up(error)
        return False
    return True


def _forward(trial: UnseenTrial) -> None:
    """Every draw, for as long as a side is left."""
    context = trial.candidate.context
    scales = least_scales(context, trial.case)
    for half in trial.halves:
        half.restart()
        half.state.least_scales = scales
    for draw in draws_of(context.task):
        if all(half.rejection for half in trial.halves):
            return
        contents = context.contents(trial.case, draw)
        # The candidate comes first: on a GPU the right answer may be left behind in memory that the next kernel sees.
        theirs, ours = _called(trial.candidate, contents), _called(trial.baseline, contents)
        reference = context.reference.outputs(trial.case, contents)
        for half, call in ((trial.baseline, ours), (trial.candidate, theirs)):
            if call is not None:
                _judge_draw(trial, half, JudgedDraw(half.state, draw, contents, reference), call)
    for half in trial.halves:
        _judge_launches(half)


def _called(half: Half, contents: Contents) -> Call | Rejection | None:
    """None where the side has failed on this case."""
    if half.rejection is not None:
        return None
    context, case = half.context, half.state.case
    called: Call | Rejection | None = None
    with half.charging():
        runner = context.runner or _start(half, "forward")
        if half.state.first_call_ms is None and _compiles_launches(context):
            runner.compile(case, contents)
        called = runner.call(case, contents)
    return called


def _start(half: Half, order: Order) -> Runner:
    """A worker that has loaded the side. That the baseline cannot be loaded has nothing to do with a case: ours."""
    context, compiled = half.context, _cross_compiles(half.context) and order == "forward"
    with blaming_baseline(context.task) if half.trusted else nullcontext():
        context.runner = context.candidate_side().runner(order, cross_compile=compiled)
    return context.runner


def _judge_draw(trial: UnseenTrial, half: Half, judged: JudgedDraw, call: Call | Rejection) -> None:
    """A baseline's errors are lent only while it is right: a wrong one would allow everything."""
    if half.trusted and isinstance(call, Call):
        _note_error(half, judged, call)
    with half.charging():
        correctness.judged_call(half.context, judged, call)
    if half.rejection:
        return
    if judged.rejection and not correctness.may_depend_on_order(half.context, judged):
        half.fail(judged.rejection)
        return
    if half.context.runs_reversed:
        half.forward.append(judged)
    if half.trusted and judged.rejection is None:
        trial.candidate.state.baseline_errors = dict(half.lent)


def _note_error(half: Half, judged: JudgedDraw, call: Call) -> None:
    """The worst on the draws of a name so far. Its own elements are held to the bound: else it were never wrong."""
    name = judged.draw.name
    error = correctness.error_of(call, judged.reference, judged.state.least_scales.get(name, {}))
    half.lent[name] = worst = correctness.worst_of([half.lent.get(name), error])
    judged.state.baseline_errors[name] = replace(worst, worst=0.0) if worst else None


def _judge_launches(half: Half) -> None:
    """What a compiler refused, and what the candidate swallowed, on this case: a worker that saw another is closed."""
    context = half.context
    if half.rejection is None:
        half.state.correct = True  # unless the reversed run finds otherwise
        if _compiles_launches(context):
            with half.charging():
                if rejection := launch_problem(context):
                    half.fail(rejection)


def _reversed(trial: UnseenTrial) -> None:
    for half in trial.halves:
        if half.rejection is None:
            with half.charging():
                runner = half.context.runner or _start(half, "reversed")
                if rejection := correctness.reversed_calls(half.context, runner, half.forward):
                    half.fail(rejection)
        half.forward.clear()


def _time(trials: list[UnseenTrial], baseline: Context, candidate: Context) -> None:
    """One session over the cases on which both sides are right, begun anew without a case that the candidate fails."""
    waiting = {trial.case.id: trial for trial in trials if trial.both_right}
    candidate.cases = {name: trial.candidate.state for name, trial in waiting.items()}
    candidate.baseline, candidate.sessions = baseline.candidate_side(), SESSIONS
    failed_at = set[str | None]()  # where we failed once
    while candidate.cases:
        candidate.at_work = None
        try:
            if not (rejection := checked(performance, candidate)):
                return
            for name in _blamed(candidate) or list(candidate.cases):
                waiting[name].candidate.fail(rejection)
                del candidate.cases[name]
        except FAULTS as error:
            for context in (baseline, candidate):
                context.renew()
            untimed = [name for name, state in candidate.cases.items() if not state.times and not state.clocks]
            where = next((name for name in _blamed(candidate) if name in untimed), None)
            if where in failed_at:
                for name in [where] if where else untimed or list(candidate.cases):
                    waiting[name].give_up(error)
                    del candidate.cases[name]
            failed_at.add(where)


def _look_after(trials: list[UnseenTrial], candidate: Context) -> None:
    """The task as it was read, times that can be true: what the integrity gate asks."""
    by_id = {trial.case.id: trial for trial in trials}
    candidate.at_work = None
    while rejection := checked(integrity, candidate):
        for name in (blamed := _blamed(candidate)) or by_id:
            by_id[name].candidate.fail(rejection)
            candidate.cases.pop(name, None)
        if not blamed:
            return


def _blamed(context: Context) -> list[str]:
    """The case at work, if there is one."""
    return [context.at_work.case.id] if context.at_work else []
