"""The correctness gate: are the outputs right on every case that will be timed, on every draw, in any order of lanes?

Standard, outlier and special draws are each compared with the reference in float64, with tolerances from the task and
from the baseline's own error. On a CPU host the order of programs (HIP: of blocks, waves and lanes) is drawn for every
call, and two draws per case run again, in other orders and with guard pages next to the buffers. An output that is
right only while everything runs upwards gets a flag; one that is wrong then is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import cycle

import torch

from evaluator.errors import BaselineError
from evaluator.gates import compile as compile_gate
from evaluator.gates.context import CaseState, Context
from evaluator.gates.contracts import check_contracts
from evaluator.gates.coverage import check_coverage, note_coverage, trace_coverage
from evaluator.gates.isa import is_baseline_known, note_baseline, note_launches, note_ran
from evaluator.gates.scales import FEW_ELEMENTS
from evaluator.judge.answers import comparisons, deviation_of
from evaluator.judge.compare import BASELINE_FACTOR, Comparison, worst_of
from evaluator.judge.draws import Contents, Draw, draws_of
from evaluator.judge.quantization import ContractEvidence
from evaluator.judge.random_outputs import evidence_of, is_judged_by_calls, shown
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.judge.sampling import Evidence, must_differ
from evaluator.judge.side import Call, Runner, trusted_call, trusted_runner
from evaluator.records.reasons import Flag
from evaluator.records.record import Finding
from evaluator.sandbox import WorkerDied
from evaluator.tasks.float8 import lacking, runs_on
from evaluator.tasks.spec import Case, Sampled

NAME = "correctness"
SEEDED_DRAW = Draw("standard", "standard", 1)  # not one of the draws that run again with guard pages
OTHER_SEED = 500  # index of the draw whose seed is used: no judged draw has this index
MORE_SAMPLES = 600  # index of the first draw of each kind that is only there for its samples
SEED_BITS = (1, 1 << 40)  # the last bit, since callers number their calls, and one that 32 bits would lose
GUARDED_DRAWS = 2  # per case: the first standard and the first outlier draw
NUMERIC = ("mismatch", "nan", "infinite", "wrong_shape")  # what a race does to an output; its length may vary


@dataclass(slots=True)
class JudgedDraw:
    """One draw of one case: its inputs, the reference's outputs, and the verdict."""

    state: CaseState
    draw: Draw
    contents: Contents
    reference: Mapping[str, torch.Tensor]
    rejection: Rejection | None = None


def check(context: Context) -> Rejection | None:
    """Check every draw of every case; on a CPU host, run some of them again with guard pages."""
    if context.candidate_side().captures_graphs:
        text = "the source captures graphs: writes outside its buffers cannot be detected here"
        context.findings.append(Finding(NAME, "no_red_zones", text))
    context.baseline = context.baseline or context.open_side(context.baseline_files)
    if rejection := compile_gate.build_trusted(context.baseline, context):
        return rejection
    assert context.runner is not None
    note_left_out(context)
    forward: list[JudgedDraw] = []
    with trusted_runner(context.baseline, cross_compile=not is_baseline_known(context)) as baseline:
        for case in context.backend.cases(context.task):
            if rejection := _check_case(context, case, baseline, forward):
                return rejection
            context.give_way()
        if context.baseline.language == "python":
            with context.spending("isa"):
                note_baseline(context, baseline)
    note = note_launches if context.runner.side.language == "python" else note_ran if context.emulates else None
    with context.spending("isa"):
        rejection = note(context) if note else None
    if rejection:
        return rejection
    trace_coverage(context)
    check_coverage(context, NAME)
    check_contracts(context, NAME)
    context.close_runner()
    if not context.emulates:
        return None
    with context.candidate_side().runner(guarded=True) as runner:
        return guarded_calls(context, runner, forward)


def note_left_out(context: Context) -> None:
    """Say which cases are not run, since the device lacks one of their dtypes."""
    architecture = context.backend.architecture
    cases = context.task.cases_of(context.backend.profiles)
    left_out = [case.id for case in cases if not runs_on(context.task, case, architecture)]
    if left_out:
        forms = ", ".join(sorted(lacking(architecture)))
        text = f"{architecture} has no {forms}, so these cases are not run: {'; '.join(left_out)}"
        context.findings.append(Finding(NAME, "cases_left_out", text))


def _check_case(context: Context, case: Case, baseline: Runner, forward: list[JudgedDraw]) -> Rejection | None:
    """Check every draw of one case; add to `forward` the draws that run again with guard pages."""
    state = context.cases[case.id] = CaseState(case)
    for draw in context.draws:
        judged = _judge(context, state, draw, baseline)
        if (wrong := judged.rejection) and context.decides(wrong):
            return wrong
        if context.emulates and not wrong and is_guarded_draw(draw):
            forward.append(judged)
    # The few calls of a quick check give too few samples to judge them together.
    unlike = None if context.is_quick else _sample_more(context, state) or samples_problem(state)
    if unlike and context.decides(unlike):
        return unlike
    state.correct = True  # unless the guarded run finds otherwise
    return None


def _judge(context: Context, state: CaseState, draw: Draw, baseline: Runner) -> JudgedDraw:
    """Call the candidate on one draw and compare its outputs with the reference.

    The candidate runs first: on a GPU the reference could leave the expected output in memory that the candidate reads.
    """
    assert context.runner is not None
    contents = context.contents(state.case, draw)
    call = context.runner.call(state.case, contents, context.order(state.case, draw))
    reference = context.reference.outputs(state.case, contents)
    judged = JudgedDraw(state, draw, contents, reference)
    if measured := draw.index == 0 or draw.kind == "special":
        _measure_baseline(context, baseline, judged)
    before = (state.relative_rmse, state.allowed_rmse)
    judged_call(context, judged, call)
    if judged.rejection and judged.rejection.reason == "mismatch" and not measured:
        _measure_baseline(context, baseline, judged)  # this draw may be harder than those that the baseline ran
        judged.rejection, (state.relative_rmse, state.allowed_rmse) = None, before
        judged_call(context, judged, call)
    forgive_order(context, judged, before)
    return judged


def wrong_when_timed(
    context: Context, judged: JudgedDraw, call: Call, baseline: AbstractContextManager[Runner]
) -> Rejection | None:
    """Check the outputs of a timed call as `wrong_output` does; on a mismatch the baseline runs the draw first, too.

    Random numbers must also differ from those of all calls that were judged before.

    Raises:
        BaselineError: as `trusted_call`.
    """
    state, before = judged.state, (judged.state.relative_rmse, judged.state.allowed_rmse)
    wrong = wrong_output(context, judged, call)
    if wrong is None:
        return _wrong_numbers(context, judged, call)
    if wrong.reason != "mismatch":
        return wrong
    with baseline as runner:
        _measure_baseline(context, runner, judged)
    state.relative_rmse, state.allowed_rmse = before
    return wrong_output(context, judged, call) or _wrong_numbers(context, judged, call)


def _measure_baseline(context: Context, baseline: Runner, judged: JudgedDraw) -> None:
    """Run the baseline on the draw and update its worst error for draws of that name.

    Raises:
        BaselineError: its error is so large that tolerances derived from it would accept zeros.
    """
    errors, name = judged.state.baseline_errors, judged.draw.name
    call = trusted_call(baseline, judged.state.case, judged.contents)
    scales = judged.state.least_scales.get(name, {})
    found = deviation_of(context.reference, judged.state.case, judged.contents, call.outputs, judged.reference, scales)
    errors[name] = worst_of([errors.get(name), found])
    if not found:
        return
    large = {name: error for name, error in found.relations.items() if BASELINE_FACTOR * error >= 1}
    if BASELINE_FACTOR * found.rmse >= 1 and min(map(torch.numel, call.outputs.values())) >= FEW_ELEMENTS:
        large["relative error"] = found.rmse
    if large:
        where = f"case {judged.state.case.id}, {name} inputs"
        seen = ", ".join(f"{what} {error:.1e}" for what, error in large.items())
        raise BaselineError(f"the baseline of {baseline.side.task.id}, {where}: {seen}")


def judged_call(context: Context, judged: JudgedDraw, call: Call | Rejection) -> JudgedDraw:
    """Set the draw's rejection from its call, or count it as correct; return the draw."""
    if isinstance(call, Call):
        if judged.state.first_call_ms is None:
            judged.state.first_call_ms = call.wall_ns / 1e6
        judged.rejection = wrong_output(context, judged, call)
        if judged.rejection is None:
            judged.rejection = _wrong_numbers(context, judged, call)
        if judged.rejection is None and judged.draw == SEEDED_DRAW:
            judged.rejection = _ignored_seed(context, judged, call) or _other_seeds(context, judged)
    else:
        judged.rejection = call
    if judged.rejection is None and isinstance(call, Call):
        judged.state.draws += 1
        note_coverage(judged.state, call)
        for spec in context.task.outputs:
            if isinstance(spec.sampled, Sampled):
                evidence = judged.state.samples.setdefault(spec.name, Evidence())
                evidence.add(judged.draw.kind, call.outputs[spec.name], judged.reference[spec.name])
    return judged


def _sample_more(context: Context, state: CaseState) -> Rejection | None:
    """Call on other inputs and seeds where the draws so far gave too few samples to judge them together."""
    calls = max((evidence.calls_needed for evidence in state.evidence.values()), default=0)
    for draw in more_draws(draws_of(context.task), calls):
        assert context.runner is not None
        contents = context.contents(state.case, draw)
        call = context.runner.call(state.case, contents, context.order(state.case, draw))
        judged = JudgedDraw(state, draw, contents, context.reference.outputs(state.case, contents))
        if judged_call(context, judged, call).rejection:
            return judged.rejection
    return None


def more_draws(draws: Iterable[Draw], calls: int) -> Iterator[Draw]:
    """Yield that many new draws of each kind but outliers; special ones take turns among the task's alphabets."""
    names: dict[str, dict[str, None]] = {}
    for draw in draws:
        if draw.kind != "outlier":
            names.setdefault(draw.kind, {})[draw.name] = None
    for kind, of_kind in names.items():
        for index, name in zip(range(calls), cycle(of_kind), strict=False):
            yield Draw(kind, name, MORE_SAMPLES + index)


def samples_problem(state: CaseState) -> Rejection | None:
    """Return the rejection for what the samples of all calls together show."""
    for name, evidence in state.evidence.items():
        if problem := evidence.problem():
            return Rejection("mismatch", f"case {state.case.id}, {name}: {problem}")
    return None


def _ignored_seed(context: Context, judged: JudgedDraw, call: Call) -> Rejection | None:
    """Reject sampled outputs that stay the same for another seed, where chance cannot explain it."""
    assert context.runner is not None
    case = judged.state.case
    for spec in context.task.outputs:
        samples = call.outputs[spec.name]
        if not isinstance(spec.sampled, Sampled) or not must_differ(judged.reference[spec.name], samples.shape[-1]):
            continue
        name = spec.sampled.seed
        other = context.contents(case, Draw("standard", "standard", OTHER_SEED))[name]
        again = context.runner.call(case, {**judged.contents, name: other})
        if isinstance(again, Rejection):
            return again
        if torch.equal(again.outputs[spec.name], samples):
            return Rejection("mismatch", f"case {case.id}, {spec.name}: the same samples for another {name}")
    return None


def _wrong_numbers(context: Context, judged: JudgedDraw, call: Call) -> Rejection | None:
    """Add the random numbers of a call, whose values are right, to the evidence; reject what they show."""
    case = judged.state.case
    for spec in filter(is_judged_by_calls, context.task.outputs):
        if spec.name not in judged.state.numbers:
            judged.state.numbers[spec.name] = evidence_of(context.task, spec, case)
        evidence, expected = judged.state.numbers[spec.name], judged.reference[spec.name]
        if problem := shown(evidence, spec, judged.contents, call.outputs[spec.name], expected, context.reference):
            return Rejection("mismatch", f"case {case.id}, {judged.draw.name} inputs, {spec.name}: {problem}")
    return None


def _other_seeds(context: Context, judged: JudgedDraw) -> Rejection | None:
    """Judge calls that differ in their seeds alone, each by one bit."""
    assert context.runner is not None
    names = [str(spec.seed) for spec in context.task.outputs if is_judged_by_calls(spec)]
    if not names:
        return None
    for bit in SEED_BITS:
        seeds = {name: torch.as_tensor(judged.contents[name]) ^ bit for name in names}
        again = replace(judged, contents={**judged.contents, **seeds})
        call = context.runner.call(judged.state.case, again.contents)
        if isinstance(call, Rejection):
            return call
        if wrong := wrong_output(context, again, call) or _wrong_numbers(context, again, call):
            return wrong
    return None


def wrong_output(context: Context, judged: JudgedDraw, call: Call) -> Rejection | None:
    state, name = judged.state, judged.draw.name
    for comparison in comparisons(
        context.reference,
        state.case,
        judged.contents,
        call.outputs,
        judged.reference,
        baseline=state.baseline_errors.get(name),
        least_scales=state.least_scales.get(name, {}),
    ):
        _note_error(state, comparison)
        if comparison.contract is not None and comparison.reason is None:
            output, result = comparison.contract
            evidence = state.contracts.setdefault(output, ContractEvidence())
            evidence.add(result, is_standard=judged.draw.kind == "standard")
        if comparison.reason is not None:
            where = f"case {state.case.id}, {name} inputs, {comparison.detail}"
            return Rejection(comparison.reason, f"{_refused_launch(call)}{where}")
    return None


def _refused_launch(call: Call) -> str:
    """Say first that a launch was refused: the wrong numbers only follow from it."""
    return f"a launch was refused, and the source did not ask for its error: {call.refused}; " if call.refused else ""


def _note_error(state: CaseState, comparison: Comparison) -> None:
    """Record the error of the draw that came closest to its bound, or furthest beyond it."""
    if comparison.relative_rmse is None or comparison.allowed_rmse is None:
        return
    used = comparison.relative_rmse / max(comparison.allowed_rmse, 1e-300)
    before = (state.relative_rmse or 0.0) / max(state.allowed_rmse or 1e-300, 1e-300)
    if state.relative_rmse is None or used > before:
        state.relative_rmse, state.allowed_rmse = comparison.relative_rmse, comparison.allowed_rmse


def forgive_order(context: Context, judged: JudgedDraw, errors_before: tuple[float | None, float | None]) -> None:
    """Replace the rejection of an output that came wrong in a drawn order by a flag, if it is right upwards.

    `errors_before`: the case's relative_rmse and allowed_rmse before the wrong output.
    """
    wrong, state = judged.rejection, judged.state
    if wrong is None or wrong.reason not in NUMERIC or not context.emulates:
        return
    assert context.runner is not None
    same_order = context.order(state.case, judged.draw)
    if not _wrong_call(context, context.runner, judged, same_order):
        return  # it is not the order that makes it wrong
    state.relative_rmse, state.allowed_rmse = errors_before
    judged.rejection = None
    judged_call(context, judged, context.runner.call(state.case, judged.contents))
    if judged.rejection is None:
        _flag_order(context, judged)


def is_guarded_draw(draw: Draw) -> bool:
    return draw.kind in ("standard", "outlier") and draw.index < GUARDED_DRAWS // 2


def guarded_calls(context: Context, runner: Runner, forward: list[JudgedDraw]) -> Rejection | None:
    """Run draws that were right again in other orders, with guard pages. One that is right upwards gets a flag."""
    for judged in forward:
        try:
            wrong = _wrong_when_guarded(context, runner, judged)
        except WorkerDied as error:
            return _beyond_the_end(rejection_of(error), judged)
        if wrong:
            judged.state.correct = False
            if context.decides(wrong):
                return wrong
    return None


def _wrong_when_guarded(context: Context, runner: Runner, judged: JudgedDraw) -> Rejection | None:
    """Check one call in another order; if it is wrong in its numbers alone, and right upwards, flag the order."""
    wrong = _wrong_call(context, runner, judged, context.order(judged.state.case, judged.draw, guarded=True))
    if wrong is None or wrong.reason not in NUMERIC:
        return wrong
    if wrong := _wrong_call(context, runner, judged, order=0):
        return wrong
    _flag_order(context, judged)
    return None


def _wrong_call(context: Context, runner: Runner, judged: JudgedDraw, order: int) -> Rejection | None:
    call = runner.call(judged.state.case, judged.contents, order)
    if isinstance(call, Rejection):
        return call
    return wrong_output(context, judged, call)


def _beyond_the_end(rejection: Rejection, judged: JudgedDraw) -> Rejection:
    if rejection.reason != "segfault":
        return rejection
    case = judged.state.case
    return Rejection("out_of_bounds", f"case {case.id}: it accessed the guard page behind a buffer", rejection.log)


def _flag_order(context: Context, judged: JudgedDraw) -> None:
    context.flags.add(Flag.ORDER_DEPENDENT)
    text = f"case {judged.state.case.id} is right only while lanes, waves, blocks and programs run upwards: a race"
    if not any(finding.code == "order_dependent" for finding in context.findings):
        context.findings.append(Finding(NAME, "order_dependent", text))
