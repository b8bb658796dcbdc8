"""Checks of a task's references, inputs and outputs, on every small case and draw, without running a candidate."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import torch

from evaluator.judge.draws import Contents, Draw, contents_of
from evaluator.judge.nulls import nulls_that_pass
from evaluator.tasks.spec import Axis, Case, Input, Numbers, TaskSpec
from evaluator.validate.folder import is_copy, is_silent, others
from evaluator.validate.subject import Subject, same

AGREEMENT = 1e-12  # of the RMS, in float64: room for some ten roundings of 1e-16 and a cancellation
MIN_SPREAD = 0.01  # of the RMS: standard deviation over all elements, and along some axis
CHOSEN = 16  # rows and columns whose covariances are compared
LEAST_SCALE, GREATEST_SCALE = 1e-6, 1e6


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
        exact = _widened(contents)
        subject.reference.implementation(exact)
        yield from (f"{place}: it changes its input {name}" for name in _changed(_widened(before), exact))
        for output in subject.task.outputs:
            value = first[output.name]
            if value.dtype.is_floating_point and output.nan == "forbidden" and bool(value.isnan().any()):
                yield f"{place}: {output.name} has NaN, which the task forbids"


def second(subject: Subject) -> Iterator[str]:
    """The second reference is different code and gives the same outputs, or random numbers that are as good."""
    if is_copy(subject.task):
        yield "the second reference is a copy of the first"
    random = {output.name for output in subject.task.outputs if isinstance(output.sampled, Numbers)}
    for case, draw, contents in subject.draws():
        wanted, found = subject.reference.outputs(case, contents), subject.second.outputs(case, contents)
        for name, value in wanted.items():
            if name not in random and not _agree(value, found[name]):
                yield f"{_label(case, draw)}: {name} differs between the two references"
        for output in (output for output in subject.task.outputs if output.dropout and output.dropout.hidden):
            *rows, columns = output.reference_shape(case)
            chosen = torch.arange(min(CHOSEN, math.prod(rows))), torch.arange(min(CHOSEN, columns))
            both = (each.covariance(output, contents, *chosen) for each in (subject.reference, subject.second))
            if not _agree(*both):
                yield f"{_label(case, draw)}: the covariance of {output.name} differs between the two references"


def inputs(subject: Subject) -> Iterator[str]:
    """Every input affects the outputs, except the seed and the share of what is random, which no reference shows."""
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
            after = subject.reference.outputs(case, changed)
            if not all(same(before[output], after[output]) for output in before):
                del waiting[name]
        if not waiting:
            return
    yield from (f"{name}: no output depends on it" for name in waiting)


def spread(subject: Subject) -> Iterator[str]:
    """In at least half of the small cases, each output has a usual magnitude and varies across elements and draws.

    The other half leaves room for cases that are one column wide, or constant on purpose.
    """
    for output in subject.task.outputs:
        found = [_degenerate(subject, case, output.name) for case in subject.small_cases]
        problems = [problem for problem in found if problem]
        if 2 * len(problems) > len(found):
            yield f"{output.name}: degenerate in {len(problems)} of {len(found)} small cases; the first: {problems[0]}"


def nulls(subject: Subject) -> Iterator[str]:
    """No candidate passes without doing any work."""
    yield from (f"passed by {name}" for name in nulls_that_pass(subject.task, subject.seed))


def _agree(wanted: torch.Tensor, found: torch.Tensor) -> bool:
    if wanted.dtype != found.dtype:
        return False
    if not wanted.dtype.is_floating_point:
        return bool((wanted == found).all())
    finite = wanted.isfinite()
    scale = float(wanted[finite].square().mean().sqrt()) if bool(finite.any()) else 0.0
    return torch.allclose(found, wanted, rtol=AGREEMENT, atol=AGREEMENT * scale, equal_nan=True)


def _may_change(subject: Subject, item: Input) -> bool:
    """Whether an input can be changed alone: a size or flag passed as a number only if nothing else shows it."""
    return item.scalar is None or item.scalar_kind != "int" or bool(_silent_axes(subject.task, item))


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
    task = replace(subject.task, inputs=(item,))
    value = contents_of(task, case, draw, subject.other_seed)[item.name]
    assert isinstance(value, torch.Tensor), contents
    return value


def _degenerate(subject: Subject, case: Case, name: str) -> str | None:
    """Why an output is degenerate on a case's standard draws, or None."""
    two = []
    for index in range(2):
        contents = contents_of(subject.task, case, Draw("standard", "standard", index), subject.seed)
        value = subject.reference.outputs(case, contents)[name].double()
        two.append(torch.where(value.isfinite(), value, 0.0))
    values, other = two
    scale = float(values.square().mean().sqrt()) if values.numel() else 0.0
    if not LEAST_SCALE <= scale <= GREATEST_SCALE:
        return f"its RMS is {scale:.1e}"
    if values.numel() > 1 and float(values.std()) < MIN_SPREAD * scale:
        return "its elements are all the same"
    if float((values - other).square().mean().sqrt()) < MIN_SPREAD * scale:
        return "it hardly depends on the values of the inputs"
    for axis, length in enumerate(values.shape):
        if length > 1 and float(values.std(axis).max()) < MIN_SPREAD * scale:
            return f"it is the same along axis {axis}"
    return None


def _label(case: Case, draw: Draw) -> str:
    return f"{case.id}, {draw.name} inputs"


def _copy(contents: Contents) -> Contents:
    return {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in contents.items()}


def _widened(contents: Contents) -> Contents:
    return {
        name: value.double() if isinstance(value, torch.Tensor) and value.dtype.is_floating_point else value
        for name, value in _copy(contents).items()
    }


def _changed(before: Contents, after: Contents) -> list[str]:
    pairs = ((name, value, after[name]) for name, value in before.items())
    return [
        name
        for name, old, new in pairs
        if isinstance(old, torch.Tensor) and isinstance(new, torch.Tensor) and not same(old, new)
    ]
