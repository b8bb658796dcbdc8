"""Candidates that did no work, judged as data: a task that one of them passes proves nothing and enters no suite.

No process is needed: what they would return follows from the inputs and the right answers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

from evaluator.judge.compare import compare
from evaluator.judge.draws import Contents, Seed, contents_of, draws_of
from evaluator.judge.reference import Reference
from evaluator.judge.sampling import example
from evaluator.tasks.spec import Case, Output, Profile, TaskSpec

PROFILES: tuple[Profile, ...] = ("small",)


@dataclass(frozen=True, slots=True)
class NullCase:
    """One output of one draw: what was given, what is right, what was right for the draw before and for the first."""

    spec: Output
    dtype: torch.dtype
    contents: Contents
    right: torch.Tensor
    previous: torch.Tensor
    first: torch.Tensor


Null = Callable[[NullCase], torch.Tensor]


def nulls_that_pass(task: TaskSpec, seed: Seed | None = None) -> list[str]:
    """The null candidates that are right on every small case and draw of a task: there must be none.

    Copying the first input may be the answer where every output declares `identity`.
    """
    seed, reference, passing = seed or Seed(), Reference(task), dict(NULLS)
    if all(output.identity for output in task.outputs):
        del passing["first_input"]
    for case in task.cases_of(PROFILES):
        answers: list[Mapping[str, torch.Tensor]] = []
        for draw in draws_of(task):
            contents = contents_of(task, case, draw, seed)
            answers.append(reference.outputs(case, contents))
            passing = {name: null for name, null in passing.items() if _is_right(null, task, case, contents, answers)}
        if not passing:
            break
    return sorted(passing)


def _is_right(
    null: Null, task: TaskSpec, case: Case, contents: Contents, answers: list[Mapping[str, torch.Tensor]]
) -> bool:
    for spec in task.outputs:
        dtype = task.dtype_of(spec.dtype, case)
        places = (-1, max(0, len(answers) - 2), 0)
        now, before, first = (_right_answer(spec, case, answers[index][spec.name]) for index in places)
        if len(answers) == 1:  # nothing was there before
            before = first = torch.zeros_like(now)
        answer = null(NullCase(spec, getattr(torch, dtype), contents, now, before, first))
        tolerance = task.tolerance.get(dtype)
        reference = answers[-1][spec.name]
        if compare(answer, reference, spec=spec, tolerance=tolerance, case=case, baseline=None).reason is not None:
            return False
    return True


def _right_answer(spec: Output, case: Case, reference: torch.Tensor) -> torch.Tensor:
    """The reference's own output or, where it is sampled, one that it could have been."""
    if spec.sampled is None:
        return reference
    count = int(spec.shape[-1].value(case.numbers))
    return example(reference, count, torch.Generator().manual_seed(0))


def _filled(value: float) -> Null:
    return lambda question: torch.full(question.right.shape, value, dtype=torch.float64).to(question.dtype)


def _unwritten(question: NullCase) -> torch.Tensor:
    """Memory as the worker poisons it."""
    if question.dtype == torch.bool:
        return torch.ones_like(question.right, dtype=torch.bool)
    poison = torch.full((question.right.numel() * question.dtype.itemsize,), 0xFF, dtype=torch.uint8)
    return poison.view(question.dtype).reshape(question.right.shape)


def _best_constant(question: NullCase) -> torch.Tensor:
    """The mean of the right answer: no constant has a smaller RMSE."""
    finite = question.right.double()[question.right.isfinite()]
    return torch.full_like(question.right, float(finite.mean()) if finite.numel() else 0.0).to(question.dtype)


def _first_input(question: NullCase) -> torch.Tensor:
    """The first tensor that was given, cut or repeated to size."""
    given = next((value for value in question.contents.values() if isinstance(value, torch.Tensor)), None)
    count = question.right.numel()
    if given is None or not given.numel() or not count:
        return torch.zeros_like(question.right).to(question.dtype)
    flat = given.reshape(-1)
    return flat.repeat(-(-count // flat.numel()))[:count].reshape(question.right.shape).to(question.dtype)


NULLS: dict[str, Null] = {
    "nothing_written": _unwritten,
    "zeros": _filled(0.0),
    "ones": _filled(1.0),
    "not_a_number": _filled(float("nan")),
    "best_constant": _best_constant,
    "first_input": _first_input,
    "previous_output": lambda question: question.previous.to(question.dtype),
    "output_of_another_input": lambda question: question.first.to(question.dtype),
}
