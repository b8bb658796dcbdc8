"""Null candidates, which do no work: a task that one of them passes proves nothing and enters no suite.

They need no process: their outputs follow from the inputs and the expected outputs alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

from evaluator.judge.compare import compare
from evaluator.judge.draws import Contents, Seed, contents_of, draws_of
from evaluator.judge.dropout import Mask
from evaluator.judge.numbers import NumbersDistribution
from evaluator.judge.random_outputs import CallsEvidence, evidence_of, is_judged_by_calls, shown
from evaluator.judge.reference import Reference
from evaluator.judge.sampling import example
from evaluator.tasks.spec import Case, Numbers, Output, Profile, TaskSpec

PROFILES: tuple[Profile, ...] = ("small",)


@dataclass(frozen=True, slots=True)
class NullCase:
    """One output of one draw: all inputs, and the expected output of this, the previous and the first draw."""

    spec: Output
    dtype: torch.dtype
    contents: Contents
    expected: torch.Tensor
    previous: torch.Tensor
    first: torch.Tensor
    kept: torch.Tensor  # of dropout, the output if nothing is dropped


Null = Callable[[NullCase], torch.Tensor]


def nulls_that_pass(task: TaskSpec, seed: Seed | None = None) -> list[str]:
    """Return the names of null candidates that pass every small case and draw of a task: there must be none.

    A copy of the first input is allowed where every output declares `identity`.
    """
    seed, reference, passing = seed or Seed(), Reference(task), NULLS | _random_nulls(task)
    if all(output.identity for output in task.outputs):
        del passing["first_input"]
    for case in task.cases_of(PROFILES):
        references: list[Mapping[str, torch.Tensor]] = []
        evidence = dict[str, dict[str, CallsEvidence]]()  # of each null candidate, by random output
        for draw in draws_of(task):
            contents = contents_of(task, case, draw, seed)
            references.append(reference.outputs(case, contents))
            passing = {
                name: null
                for name, null in passing.items()
                if _is_right(null, reference, case, contents, references, evidence.setdefault(name, {}))
            }
        shown_wrong = {name for name, found in evidence.items() if any(one.problem() for one in found.values())}
        passing = {name: null for name, null in passing.items() if name not in shown_wrong}
        if not passing:
            break
    return sorted(passing)


def _is_right(
    null: Null,
    reference: Reference,
    case: Case,
    contents: Contents,
    references: list[Mapping[str, torch.Tensor]],
    evidence: dict[str, CallsEvidence],
) -> bool:
    task = reference.task
    for spec in task.outputs:
        dtype = task.dtype_of(spec.dtype, case)
        indices = (-1, max(0, len(references) - 2), 0)
        now, before, first = (_expected_output(spec, case, references[index][spec.name]) for index in indices)
        if len(references) == 1:  # the first draw has no previous output
            before = first = torch.zeros_like(now)
        exact, tolerance = references[-1][spec.name], task.tolerance.get(dtype)
        kept = Mask.of(spec.dropout, case).kept(exact) if spec.dropout and not spec.dropout.hidden else exact
        output = null(NullCase(spec, getattr(torch, dtype), contents, now, before, first, kept))
        if compare(output, exact, spec=spec, tolerance=tolerance, case=case, baseline=None).reason is not None:
            return False
        if is_judged_by_calls(spec):
            known = evidence.setdefault(spec.name, evidence_of(task, spec, case))
            if shown(known, spec, contents, output, exact, reference):
                return False
    return True


def _random_nulls(task: TaskSpec) -> dict[str, Null]:
    """Return the null candidates of tasks with random outputs: one draws nothing, one draws once for all calls."""
    nulls = dict[str, Null]()
    if any(output.dropout for output in task.outputs):
        nulls["nothing_dropped"] = lambda case: case.kept.to(case.dtype)
    if any(is_judged_by_calls(output) for output in task.outputs):
        nulls["drawn_once"] = lambda case: case.expected.to(case.dtype)
    return nulls


def _expected_output(spec: Output, case: Case, reference: torch.Tensor) -> torch.Tensor:
    """Return the reference's output, or what is drawn from it where it is random: the same in every call."""
    if spec.dropout is not None and not spec.dropout.hidden:
        return Mask.of(spec.dropout, case).example(reference, torch.Generator().manual_seed(0))
    if isinstance(spec.sampled, Numbers):
        numbers = NumbersDistribution.of(spec.sampled, case, torch.float64)
        return numbers.example(reference, torch.Generator().manual_seed(0))
    if spec.sampled is None:
        return reference
    count = int(spec.shape[-1].value(case.numbers))
    return example(reference, count, torch.Generator().manual_seed(0))


def _filled(value: float) -> Null:
    return lambda case: torch.full(case.expected.shape, value, dtype=torch.float64).to(case.dtype)


def _unwritten(case: NullCase) -> torch.Tensor:
    """Return memory as the worker poisons it."""
    if case.dtype == torch.bool:
        return torch.ones_like(case.expected, dtype=torch.bool)
    poison = torch.full((case.expected.numel() * case.dtype.itemsize,), 0xFF, dtype=torch.uint8)
    return poison.view(case.dtype).reshape(case.expected.shape)


def _best_constant(case: NullCase) -> torch.Tensor:
    """Return the mean of the expected output: no constant has a smaller RMSE."""
    finite = case.expected.double()[case.expected.isfinite()]
    return torch.full_like(case.expected, float(finite.mean()) if finite.numel() else 0.0).to(case.dtype)


def _first_input(case: NullCase) -> torch.Tensor:
    """Return the first input tensor, cut or repeated to size."""
    given = next((value for value in case.contents.values() if isinstance(value, torch.Tensor)), None)
    count = case.expected.numel()
    if given is None or not given.numel() or not count:
        return torch.zeros_like(case.expected).to(case.dtype)
    flat = given.reshape(-1)
    return flat.repeat(-(-count // flat.numel()))[:count].reshape(case.expected.shape).to(case.dtype)


NULLS: dict[str, Null] = {
    "nothing_written": _unwritten,
    "zeros": _filled(0.0),
    "ones": _filled(1.0),
    "not_a_number": _filled(float("nan")),
    "best_constant": _best_constant,
    "first_input": _first_input,
    "previous_output": lambda case: case.previous.to(case.dtype),
    "output_of_another_input": lambda case: case.first.to(case.dtype),
}
