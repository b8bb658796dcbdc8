"""Run baseline and candidate on cases that no agent has seen; a failure on one case does not end the others.

Each side goes through the gates in a context of its own, as if it were the candidate. A worker runs case after case
until its side fails; the next case then gets a new one. Cases are timed where both sides are correct.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace

from evaluator.errors import BaselineError, EvaluatorError, SandboxError
from evaluator.gates import compile as compile_gate
from evaluator.gates import correctness, integrity, performance, source
from evaluator.gates.ahead import compile_ahead
from evaluator.gates.context import CaseState, Context, checked
from evaluator.gates.correctness import JudgedDraw
from evaluator.gates.isa import launch_problem
from evaluator.gates.scales import least_scales
from evaluator.judge.answers import deviation_of
from evaluator.judge.compare import Deviation, worst_of
from evaluator.judge.draws import Contents, Draw, draws_of
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.judge.side import Call, Runner, blaming_baseline
from evaluator.sandbox import WorkerError
from evaluator.tasks.spec import Case
from evaluator.unseen.cases import UnseenCase

SESSIONS = 1  # on the device clock: differences between processes are covered by the floor from A/A sessions
# Errors that are not the candidate's fault. RuntimeError and MemoryError are torch's, from inputs and reference.
FAULTS = (EvaluatorError, RuntimeError, MemoryError)


@dataclass(slots=True)
class Half:
    """One side on one case: correct unless it has a rejection. `barred`: a rejection that holds for all cases."""

    context: Context
    trusted: bool  # the task's baseline
    state: CaseState
    barred: Rejection | None
    rejection: Rejection | None = None
    forward: list[JudgedDraw] = field(default_factory=list)  # a CPU host runs some of them again, in another order
    errors: dict[str, Deviation | None] = field(default_factory=dict)  # the baseline's worst, by draw's name

    def restart(self) -> None:
        self.state, self.rejection, self.forward = CaseState(self.state.case), self.barred, []
        self.errors = {}

    def fail(self, rejection: Rejection) -> None:
        """Set the rejection and close the worker, so that the next case gets a new one."""
        self.rejection, self.state.correct = self.context.charged(rejection), False
        self.context.close_runner()

    @contextmanager
    def charging(self) -> Iterator[None]:
        """Turn a WorkerError into this side's rejection."""
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
        """Mark both sides with an evaluation error, which no rate counts; its text goes to the log."""
        self.candidate.context.log.append("".join(traceback.format_exception(error)))
        for half in self.halves:
            half.rejection, half.state.correct = Rejection("host_fault", str(error)), False


def judge(baseline: Context, candidate: Context, cases: Sequence[UnseenCase]) -> list[UnseenTrial]:
    """Run both sides on every case. The context `baseline` has the task's own source as its candidate."""
    candidate.baseline = baseline.candidate_side()
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
        if candidate.emulates:
            _each(trials, _guarded)
    with candidate.spending("performance"):
        _time(trials, baseline, candidate)
    _check_integrity(trials, candidate)
    return trials


def _barred(context: Context, trusted: bool) -> Rejection | None:
    """Check a side's source and build; return the rejection for all cases, or a host fault after two errors."""
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
        if rejection := source.check(context):
            return rejection
        compile_ahead(context)
        return compile_gate.load(context, cross_compile=_cross_compiles(context))
    except WorkerError as error:
        context.close_runner()
        return rejection_of(error)


def _cross_compiles(context: Context) -> bool:
    """Return whether sources must compile for gfx942: only on a host without a GPU, which stands in for one."""
    return context.backend.torch_device == "cpu"


def _compiles_launches(context: Context) -> bool:
    return _cross_compiles(context) and context.candidate_side().language == "python"


def _each(trials: list[UnseenTrial], step: Callable[[UnseenTrial], None]) -> None:
    """Run a step on every case, again after an evaluation error; close the workers at the end."""
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
    """Run a step; return False after an evaluation error. The error is dropped here, since it holds tensors."""
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
    """Check every draw, until both sides have failed."""
    context = trial.candidate.context
    scales = least_scales(context, trial.case)
    for half in trial.halves:
        half.restart()
        half.state.least_scales = scales
    for draw in draws_of(context.task):
        if all(half.rejection for half in trial.halves):
            return
        contents = context.contents(trial.case, draw)
        # The candidate runs first: on a GPU the baseline could leave the right output in memory that it reads.
        theirs, ours = (_called(half, draw, contents) for half in (trial.candidate, trial.baseline))
        reference = context.reference.outputs(trial.case, contents)
        for half, call in ((trial.baseline, ours), (trial.candidate, theirs)):
            if call is not None:
                _judge_draw(trial, half, JudgedDraw(half.state, draw, contents, reference), call)
    for half in trial.halves:
        _judge_launches(half)


def _called(half: Half, draw: Draw, contents: Contents) -> Call | Rejection | None:
    """Call the side; None if it has already failed on this case."""
    if half.rejection is not None:
        return None
    context, case = half.context, half.state.case
    called: Call | Rejection | None = None
    with half.charging():
        runner = context.runner or _start(half)
        if half.state.first_call_ms is None and _compiles_launches(context):
            runner.compile(case, contents)
        called = runner.call(case, contents, context.order(case, draw))
    return called


def _start(half: Half, *, guarded: bool = False) -> Runner:
    """Start a worker that has loaded the side. A baseline that cannot be loaded is an error of the evaluation."""
    context, compiled = half.context, _cross_compiles(half.context) and not guarded
    with blaming_baseline(context.task) if half.trusted else nullcontext():
        context.runner = context.candidate_side().runner(guarded=guarded, cross_compile=compiled)
    return context.runner


def _judge_draw(trial: UnseenTrial, half: Half, judged: JudgedDraw, call: Call | Rejection) -> None:
    """Check one call. The baseline's errors widen tolerances only while it is correct: else all would be allowed."""
    if half.trusted and isinstance(call, Call):
        _note_error(half, judged, call)
    before = (half.state.relative_rmse, half.state.allowed_rmse)
    with half.charging():
        correctness.judged_call(half.context, judged, call)
        correctness.forgive_order(half.context, judged, before)
    if half.rejection:
        return
    if judged.rejection:
        half.fail(judged.rejection)
        return
    if half.context.emulates and correctness.is_guarded_draw(judged.draw):
        half.forward.append(judged)
    if half.trusted:
        trial.candidate.state.baseline_errors = dict(half.errors)


def _note_error(half: Half, judged: JudgedDraw, call: Call) -> None:
    """Update the worst error on draws of a name."""
    name = judged.draw.name
    case, scales = judged.state.case, judged.state.least_scales.get(name, {})
    error = deviation_of(half.context.reference, case, judged.contents, call.outputs, judged.reference, scales)
    half.errors[name] = worst = worst_of([half.errors.get(name), error])
    judged.state.baseline_errors[name] = own_bound(worst)


def own_bound(worst: Deviation | None) -> Deviation | None:
    """Return what widens the baseline's own bound: its RMSE alone, or it would never be wrong."""
    return replace(worst, worst=0.0, relations={}) if worst else None


def _judge_launches(half: Half) -> None:
    """Reject launches that did not compile or failed on this case, also where the candidate caught the exception."""
    context = half.context
    if half.rejection is None:
        if rejection := correctness.samples_problem(half.state):
            half.fail(rejection)
            return
        half.state.correct = True  # unless the guarded run finds otherwise
        if _compiles_launches(context):
            with half.charging():
                if rejection := launch_problem(context):
                    half.fail(rejection)


def _guarded(trial: UnseenTrial) -> None:
    for half in trial.halves:
        if half.rejection is None:
            with half.charging():
                runner = half.context.runner or _start(half, guarded=True)
                if rejection := correctness.guarded_calls(half.context, runner, half.forward):
                    half.fail(rejection)
        half.forward.clear()


def _time(trials: list[UnseenTrial], baseline: Context, candidate: Context) -> None:
    """Time one session on the cases with both sides correct; after a failure again, without the failed case."""
    waiting = {trial.case.id: trial for trial in trials if trial.both_right}
    candidate.cases = {name: trial.candidate.state for name, trial in waiting.items()}
    candidate.sessions = SESSIONS
    failed_at = set[str | None]()  # cases with one evaluation error so far
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


def _check_integrity(trials: list[UnseenTrial], candidate: Context) -> None:
    """Run the integrity gate; it rejects the case at work, or all cases."""
    by_id = {trial.case.id: trial for trial in trials}
    candidate.at_work = None
    while rejection := checked(integrity, candidate):
        for name in (blamed := _blamed(candidate)) or by_id:
            by_id[name].candidate.fail(rejection)
            candidate.cases.pop(name, None)
        if not blamed:
            return


def _blamed(context: Context) -> list[str]:
    """Return the id of the case at work, in a list."""
    return [context.at_work.case.id] if context.at_work else []
