"""Judge outputs that are right by a relation, not by equality: the factors of a matrix, a product of lower rank.

A task's relations.py is trusted code, as reference.py is. `relations(inputs, outputs, reference)` gets everything in
float64, outputs of the right shapes and finite, and returns the errors of an answer: relation → tensor, one number for
each matrix. An error is relative, 0 for an exact answer and about 1 for zeros; the largest of all matrices counts.
It may be c·eps(dtype)·√n, or four times the baseline's own on the same kind of inputs, if that is larger. What the task
calls exact (zeros of a triangle, order) must be 0, whatever the baseline's is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import torch

from evaluator.errors import TaskError
from evaluator.judge.compare import BASELINE_FACTOR, Comparison, eps_of
from evaluator.judge.draws import Contents
from evaluator.judge.reference import Reference, widened
from evaluator.tasks.relations import FILE
from evaluator.tasks.spec import Case, Relation, TaskSpec

Outputs = Mapping[str, torch.Tensor]
OF_THE_VALUES = (RuntimeError, ValueError, IndexError, ArithmeticError)  # what torch raises where it cannot compute


def relation_errors(source: Reference, contents: Contents, outputs: Outputs, wanted: Outputs) -> dict[str, float]:
    """Return the largest error of each relation; infinity for all where they cannot be computed from the outputs.

    Raises:
        TaskError: relations.py breaks its contract.
    """
    try:
        return _errors(source, contents, outputs, wanted)
    except OF_THE_VALUES as error:
        if isinstance(error, torch.OutOfMemoryError):
            raise
        _errors(source, contents, wanted, wanted)  # if this fails too, it is not the candidate's fault
        return dict.fromkeys((relation.name for relation in source.task.relations), math.inf)


def relation_comparisons(
    source: Reference,
    case: Case,
    contents: Contents,
    outputs: Outputs,
    wanted: Outputs,
    baseline: Mapping[str, float],
) -> Iterator[Comparison]:
    """Yield the verdict on each relation; `wanted`: the reference's outputs, `baseline`: the baseline's own errors."""
    for relation, error, allowed in measured(source, case, contents, outputs, wanted, baseline):
        reason = None if error <= allowed else "mismatch"
        if relation.exact:
            yield Comparison(reason, f"{relation.name} {error:.3g}, allowed 0")
        else:
            detail = f"{relation.name} {error:.1e}, allowed {allowed:.1e}"
            yield Comparison(reason, detail, error if math.isfinite(error) else None, allowed)


def measured(
    source: Reference,
    case: Case,
    contents: Contents,
    outputs: Outputs,
    wanted: Outputs,
    baseline: Mapping[str, float],
) -> Iterator[tuple[Relation, float, float]]:
    """Yield each relation with the error of the outputs and the one allowed."""
    errors = relation_errors(source, contents, outputs, wanted)
    for relation in source.task.relations:
        yield relation, errors[relation.name], _allowed(source.task, relation, case, baseline.get(relation.name, 0.0))


def _allowed(task: TaskSpec, relation: Relation, case: Case, baseline: float) -> float:
    if relation.exact:
        return 0.0
    dtype = _judged_dtype(task, case)
    bound = relation.bounds[dtype]
    terms = max(1.0, float(bound.n.value(case.numbers)))
    return max(BASELINE_FACTOR * baseline, bound.c * eps_of(getattr(torch, dtype)) * math.sqrt(terms))


def _judged_dtype(task: TaskSpec, case: Case) -> str:
    """Return the coarsest floating dtype of the outputs that are judged by relations: it limits how well they fit."""
    dtypes = [task.dtype_of(output.dtype, case) for output in task.outputs if not output.unique]
    floating = [dtype for dtype in dtypes if "float" in dtype]
    return max(floating, key=lambda dtype: eps_of(getattr(torch, dtype)))


def _errors(source: Reference, contents: Contents, outputs: Outputs, wanted: Outputs) -> dict[str, float]:
    device, task = next(iter(wanted.values())).device, source.task
    assert source.relations is not None, "the task reader demands the file"
    with torch.no_grad():
        found = source.relations(
            source.exact(contents), *(widened(dict(values), device) for values in (outputs, wanted))
        )
    names = {relation.name for relation in task.relations}
    if set(found) != names:
        raise TaskError([f"{task.id}/{FILE}: seen {sorted(found)}; expected {sorted(names)}"])
    if empty := [name for name, errors in found.items() if not errors.numel()]:
        raise TaskError([f"{task.id}/{FILE}: no errors of {', '.join(empty)}"])
    return {name: _largest(errors) for name, errors in found.items()}


def _largest(errors: torch.Tensor) -> float:
    """Return the largest error; NaN comes from numbers out of range, and no answer may gain by it."""
    largest = float(errors.double().max())
    return math.inf if math.isnan(largest) else largest
