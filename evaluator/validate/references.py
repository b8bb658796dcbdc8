"""Checks of a task's references, inputs and outputs, on every small case and draw, without running a candidate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from evaluator.judge.compare import compare
from evaluator.judge.draws import Contents, Draw, contents_of, derived_set
from evaluator.judge.nulls import nulls_that_pass, unbroken_relations
from evaluator.judge.quantization import quantised_name
from evaluator.judge.relations import relation_errors
from evaluator.judge.renewal import renewed
from evaluator.tasks.baselines import baselines_of
from evaluator.tasks.spec import Axis, Case, Input, Numbers, Output, TaskSpec
from evaluator.validate.folder import is_copy, is_silent, others
from evaluator.validate.subject import Outputs, Subject, same

AGREEMENT = 1e-12  # of the RMS, in float64: room for some ten roundings of 1e-16 and a cancellation
NOISE = 10 * AGREEMENT  # of what an input without effect changes: it moves partial results, and they round differently
LEAST_CHOICES = 2**20  # a session makes some hundred timed calls of a case: one pair in a hundred sessions is the same
SPREAD_DRAWS = 8  # as many as it takes to see a difference: two means over many elements are often within MIN_SPREAD
MIN_SPREAD = 0.01  # of the RMS: standard deviation over all elements, and along some axis
CHOSEN = 16  # rows and columns whose covariances are compared
LEAST_SCALE, GREATEST_SCALE = 1e-6, 1e6
RENEWALS = (1, 2)  # words of two renewals of one set


def reference(subject: Subject) -> Iterator[str]:
    """The reference is deterministic, does not change its inputs, and returns no forbidden NaN."""
    for case, draw, contents in subject.draws():
        place, before = _label(case, draw), _copy(contents)
        torch.manual_seed(0)
        first = subject.reference.outputs(case, contents)
        torch.manual_seed(1)
        again = subject.reference.outputs(case, contents)
        yield from (
            f"{place}: {name} differs between two calls" for name in first if not same(first[name], again[name])
        )
        exact = subject.reference.exact(contents)
        subject.reference.implementation(exact)
        before_it = subject.reference.exact(before)
        yield from (f"{place}: it changes its input {name}" for name in _changed(before_it, exact))
        for output in subject.task.outputs:
            value = first[output.name]
            if value.dtype.is_floating_point and output.nan == "forbidden" and bool(value.isnan().any()):
                yield f"{place}: {output.name} has NaN, which the task forbids"


def second(subject: Subject) -> Iterator[str]:
    """The second reference is different code and gives the same outputs, or others that are as good.

    Those are random numbers, and what the relations allow.
    """
    if is_copy(subject.task):
        yield "the second reference is a copy of the first"
    unique = [one.name for one in subject.task.outputs if one.unique and not isinstance(one.sampled, Numbers)]
    for case, draw, contents in subject.draws():
        wanted, found = subject.reference.outputs(case, contents), subject.second.outputs(case, contents)
        for name in unique:
            if not _agree(wanted[name], found[name]):
                yield f"{_label(case, draw)}: {name} differs between the two references"
        for which, outputs in (("first", wanted), ("second", found)):
            for problem in _unrelated(subject, contents, outputs, wanted):
                yield f"{_label(case, draw)}: the {which} reference has {problem}"
        for output in (output for output in subject.task.outputs if output.dropout and output.dropout.hidden):
            *rows, columns = output.reference_shape(case)
            chosen = torch.arange(min(CHOSEN, math.prod(rows))), torch.arange(min(CHOSEN, columns))
            both = (each.covariance(output, contents, *chosen) for each in (subject.reference, subject.second))
            if not _agree(*both):
                yield f"{_label(case, draw)}: the covariance of {output.name} differs between the two references"


def inputs(subject: Subject) -> Iterator[str]:
    """Every input affects the outputs, except the seed and the share of what is random, which no reference shows.

    What cancels, such as a bias of all logits of a softmax, still changes how partial results round, so only a change
    beyond `NOISE` counts. Rounding alone stays below that in every valid task: on each of these draws two references of
    other orders and formulas agree to `AGREEMENT`, which n independent roundings of 2^-53 reach from 80 million of them
    an element on. The factor of ten is for partial results that the change makes larger.

    Where an output is not unique the new answer must break a relation: else it was right before. Sets of derived inputs
    follow from the generator alone, and their renewal before a timed call changes the outputs.
    """
    if subject.task.derived:
        yield from derived_sets(subject)
    outputs = subject.task.outputs
    shares = {output.dropout.p.text for output in outputs if output.dropout}
    random = {output.seed for output in outputs} | {
        item.name for item in subject.task.inputs if item.scalar and item.scalar.text in shares
    }
    waiting = {
        item.name: item for item in subject.task.inputs if item.name not in random and _may_change(subject, item)
    }
    for case, draw, contents in subject.draws():
        before = subject.reference.outputs(case, contents)
        for name in [name for name in waiting if contents[name] is not None]:
            changed = {**contents, name: _changed_value(subject, waiting[name], case, draw, contents)}
            if _is_other(subject, case, contents, before, changed):
                del waiting[name]
        if not waiting:
            return
    yield from (f"{name}: no output depends on it" for name in waiting)


def numbers(subject: Subject) -> Iterator[str]:
    """Where no tensor is given, the drawn numbers differ from call to call, so that no answer can be kept."""
    if not all(item.is_number for item in subject.task.inputs):
        return
    for case in subject.task.cases:
        choices = math.prod(_choices(item, case) for item in subject.task.inputs if item.drawn)
        if choices < LEAST_CHOICES:
            yield f"{case.id}: its numbers can be drawn in {choices} ways; expected at least {LEAST_CHOICES}"


def spread(subject: Subject) -> Iterator[str]:
    """In at least half of the small cases, each output has a usual magnitude and varies across elements and draws.

    The other half leaves room for cases that are one column wide, or constant on purpose.
    """
    for output in subject.task.outputs:
        found = [_degenerate(subject, case, output.name) for case in subject.small_cases]
        problems = [problem for problem in found if problem]
        if 2 * len(problems) > len(found):
            yield f"{output.name}: degenerate in {len(problems)} of {len(found)} small cases; the first: {problems[0]}"


def baselines(subject: Subject) -> Iterator[str]:
    """Further baselines compute what the reference does; the compiled one is PyTorch's own work."""
    for kind, candidate in baselines_of(subject.task).items():
        if kind == "compile":
            continue
        module: dict[str, Any] = {}
        exec(candidate.files[f"{kind}.py"], module)  # trusted, as the reference is
        for case, draw, contents in subject.draws():
            if draw.kind == "standard":
                yield from _wrong_outputs(subject, kind, module[subject.task.entry.function], case, contents)


def _wrong_outputs(
    subject: Subject, kind: str, function: Callable[..., Any], case: Case, contents: Contents
) -> Iterator[str]:
    task, wanted = subject.task, subject.reference.outputs(case, contents)
    given = _copy(contents)
    if task.entry.style == "out":
        names = [output.name for output in task.outputs]
        given |= {name: torch.empty_like(wanted[name], dtype=_dtype(task, case, name)) for name in names}
    result = function(**given)
    returned = result if isinstance(result, tuple | list) else [result]
    found = [given[output.name] for output in task.outputs] if task.entry.style == "out" else returned
    for spec, output in zip(task.outputs, found, strict=True):
        right = isinstance(output, torch.Tensor) and output.dtype == _dtype(task, case, spec.name)
        if not right or output.shape != wanted[spec.name].shape:
            yield f"{kind}: {case.id}: {spec.name} has another type or shape"
        elif _differs(task, spec, case, output, wanted):
            yield f"{kind}: {case.id}: {spec.name} differs from the reference"


def _differs(task: TaskSpec, spec: Output, case: Case, output: torch.Tensor, wanted: Outputs) -> bool:
    tolerance, honest = task.tolerance.get(task.dtype_of(spec.dtype, case)), wanted.get(quantised_name(spec.name))
    reference = wanted[spec.name]
    found = compare(output, reference, spec=spec, tolerance=tolerance, case=case, baseline=None, honest=honest)
    return found.reason is not None


def nulls(subject: Subject) -> Iterator[str]:
    """No candidate passes without doing any work, and each relation turns one of them away."""
    yield from (f"passed by {name}" for name in nulls_that_pass(subject.task, subject.seed))
    yield from (f"{name}: no null candidate breaks this relation" for name in unbroken_relations(subject.task))


def _unrelated(subject: Subject, contents: Contents, outputs: Outputs, wanted: Outputs) -> Iterator[str]:
    """The relations that an answer in float64 does not keep."""
    if subject.task.relations:
        errors = relation_errors(subject.reference, contents, outputs, wanted)
        for relation in subject.task.relations:
            if errors[relation.name] > (allowed := 0.0 if relation.exact else AGREEMENT):
                yield f"{relation.name} {errors[relation.name]:.1e}, allowed {allowed:g}"


def _is_another_answer(subject: Subject, contents: Contents, before: Outputs, after: Outputs) -> bool:
    """Whether the outputs are no longer right for the inputs that they had before."""
    unique = [output.name for output in subject.task.outputs if output.unique]
    if not all(_agree(before[name], after[name], bound=NOISE) for name in unique):
        return True
    return any(_unrelated(subject, contents, after, before))


def _dtype(task: TaskSpec, case: Case, name: str) -> torch.dtype:
    output = next(output for output in task.outputs if output.name == name)
    dtype: torch.dtype = getattr(torch, task.dtype_of(output.dtype, case))
    return dtype


def _choices(item: Input, case: Case) -> int:
    """How many values a drawn number has: a uniform one has as many as float32 has between 1 and 2."""
    low, high = (bound.value(case.numbers) for bound in item.distribution[1])
    return max(0, int(high - low)) if item.scalar_kind == "int" else (2**23 if high > low else 1)


def _agree(wanted: torch.Tensor, found: torch.Tensor, *, bound: float = AGREEMENT) -> bool:
    if wanted.dtype != found.dtype or wanted.shape != found.shape:
        return False
    if not wanted.dtype.is_floating_point:
        return bool((wanted == found).all())
    finite = wanted.isfinite()
    scale = float(wanted[finite].square().mean().sqrt()) if bool(finite.any()) else 0.0
    return torch.allclose(found, wanted, rtol=bound, atol=bound * scale, equal_nan=True)


def derived_sets(subject: Subject) -> Iterator[str]:
    """Problems of the sets that inputs.py makes: chance from elsewhere, no chance at all, a renewal without effect."""
    task, unchanged = subject.task, 0
    for case in subject.small_cases:
        draw = Draw("standard", "standard", 0)
        torch.manual_seed(0)
        first = derived_set(task, case, draw, subject.seed)
        torch.manual_seed(1)
        again = derived_set(task, case, draw, subject.seed)
        yield from (f"{case.id}: {name} does not follow from the generator" for name in _changed(first, again))
        contents = contents_of(task, case, draw, subject.seed)
        outputs = [
            subject.reference.outputs(case, {**contents, **renewed(task, case, first, word)}) for word in RENEWALS
        ]
        unchanged += all(_agree(outputs[0][name], outputs[1][name], bound=NOISE) for name in outputs[0])
    if 2 * unchanged > len(subject.small_cases):
        yield f"a renewed set has the same outputs as before in {unchanged} of {len(subject.small_cases)} small cases"


def _is_other(subject: Subject, case: Case, contents: Contents, before: Outputs, changed: Contents) -> bool:
    """Whether the answer changes with an input. One that breaks a set may stop the reference, which then read it."""
    try:
        after = subject.reference.outputs(case, changed)
    except (RuntimeError, ValueError, IndexError):
        if subject.task.derived:
            return True
        raise
    return _is_another_answer(subject, contents, before, after)


def _may_change(subject: Subject, item: Input) -> bool:
    """Whether an input can be changed alone: a size or flag passed as a number only if nothing else shows it."""
    return item.drawn or item.scalar is None or item.scalar_kind != "int" or bool(_silent_axes(subject.task, item))


def _silent_axes(task: TaskSpec, item: Input) -> list[Axis]:
    assert item.scalar is not None
    return [axis for axis in task.axes if axis.name in item.scalar.names and is_silent(task, axis)]


def _changed_value(subject: Subject, item: Input, case: Case, draw: Draw, contents: Contents) -> torch.Tensor | float:
    if item.scalar is not None and item.scalar_kind == "int":
        axes = _silent_axes(subject.task, item)
        numbers = (item.scalar.value(other.numbers) for axis in axes for other in others(subject.task, case, axis))
        now = item.scalar.value(case.numbers)
        return int(next((number for number in numbers if number != now), now))
    if item.scalar is not None:
        return 1.5 * float(item.scalar.value(case.numbers)) or 0.5
    if draw.kind == "special" and len(dict(item.special).get(draw.name, ())) == 1:
        draw = Draw("standard", "standard", draw.index)  # a single letter would be drawn again
    task = subject.task if item.derived else replace(subject.task, inputs=(item,))
    value = contents_of(task, case, draw, subject.other_seed)[item.name]
    assert value is not None, contents
    return value


def _degenerate(subject: Subject, case: Case, name: str) -> str | None:
    """Why an output is degenerate on a case's standard draws, or None."""
    draws = (Draw("standard", "standard", index) for index in range(SPREAD_DRAWS))
    drawn = (
        subject.reference.outputs(case, contents_of(subject.task, case, draw, subject.seed))[name] for draw in draws
    )
    first = next(drawn)
    if not first.dtype.is_floating_point:
        return _degenerate_exact(first, drawn)
    values = torch.where(first.isfinite(), first, 0.0).double()
    scale = float(values.square().mean().sqrt()) if values.numel() else 0.0
    if not LEAST_SCALE <= scale <= GREATEST_SCALE:
        return f"its RMS is {scale:.1e}"
    if values.numel() > 1 and float(values.std()) < MIN_SPREAD * scale:
        return "its elements are all the same"
    others = (torch.where(other.isfinite(), other, 0.0).double() for other in drawn)
    if all(_is_near(values, other, MIN_SPREAD * scale) for other in others):
        return "it hardly depends on the values of the inputs"
    for axis, length in enumerate(values.shape):
        if length > 1 and float(values.std(axis).max()) < MIN_SPREAD * scale:
            return f"it is the same along axis {axis}"
    return None


def _is_near(values: torch.Tensor, other: torch.Tensor, distance: float) -> bool:
    return values.shape == other.shape and float((values - other).square().mean().sqrt()) < distance


def _degenerate_exact(values: torch.Tensor, others: Iterator[torch.Tensor]) -> str | None:
    """The same for values that must be equal, whose magnitude means nothing: identifiers, bits, counts."""
    if not values.numel():
        return "it is empty"
    if values.numel() > 1 and bool((values == values.reshape(-1)[0]).all()):
        return "its elements are all the same"
    if all(values.shape == other.shape and float((values != other).double().mean()) < MIN_SPREAD for other in others):
        return "it hardly depends on the values of the inputs"
    for axis, length in enumerate(values.shape):
        if length > 1 and bool((values == values.narrow(axis, 0, 1)).all()):
            return f"it is the same along axis {axis}"
    return None


def _label(case: Case, draw: Draw) -> str:
    return f"{case.id}, {draw.name} inputs"


def _copy(contents: Contents) -> Contents:
    return {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in contents.items()}


def _changed(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    pairs = ((name, value, after[name]) for name, value in before.items())
    return [
        name
        for name, old, new in pairs
        if isinstance(old, torch.Tensor) and isinstance(new, torch.Tensor) and not same(old, new)
    ]
