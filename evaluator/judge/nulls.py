"""Null candidates, which do no work: a task that one of them passes proves nothing and enters no suite.

They need no process: their outputs follow from the inputs and the expected outputs alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import torch

from evaluator.judge.answers import comparisons
from evaluator.judge.draws import Contents, Draw, Seed, contents_of, draws_of, is_renewed, set_before_renewal
from evaluator.judge.dropout import Mask
from evaluator.judge.numbers import NumbersDistribution
from evaluator.judge.random_outputs import CallsEvidence, evidence_of, is_judged_by_calls, shown
from evaluator.judge.reference import Reference
from evaluator.judge.relation_nulls import RelationNull, relation_nulls
from evaluator.judge.relations import measured
from evaluator.judge.sampling import example
from evaluator.tasks.spec import Case, Numbers, Output, Profile, TaskSpec

PROFILES: tuple[Profile, ...] = ("small",)


@dataclass(frozen=True, slots=True)
class NullCase:
    """One output of one draw: all inputs, and the expected output of this, the previous and the first draw."""

    spec: Output
    dtype: torch.dtype
    contents: Contents
    greatest: tuple[int, ...]  # the declared shape
    expected: torch.Tensor
    previous: torch.Tensor
    first: torch.Tensor
    kept: torch.Tensor  # of dropout, the output if nothing is dropped
    unrenewed: torch.Tensor  # what was expected before the derived inputs were renewed


Null = Callable[[NullCase], torch.Tensor]
Outputs = Mapping[str, torch.Tensor]
Answer = Callable[[TaskSpec, Case, Contents, list[Outputs]], Outputs]  # to the last of the references so far


def nulls_that_pass(task: TaskSpec, seed: Seed | None = None) -> list[str]:
    """Return the names of null candidates that pass every small case and draw of a task: there must be none.

    A copy of the first input is allowed where every output declares `identity`. A wrong length is tried where one of
    the outputs varies.
    """
    seed, reference, passing = seed or Seed(), Reference(task), answers_of(task)
    if all(output.identity for output in task.outputs):
        del passing["first_input"]
    if not any(output.varying for output in task.outputs):
        passing = {name: null for name, null in passing.items() if name not in LENGTHS}
    for case in task.cases_of(PROFILES):
        references: list[Outputs] = []
        evidence = dict[str, dict[str, CallsEvidence]]()  # of each null candidate, by random output
        for draw in draws_of(task):
            contents = contents_of(task, case, draw, seed)
            examples = _drawn_examples(reference, contents, case)
            unrenewed = _unrenewed_outputs(reference, contents, case, draw, seed)
            references.append(reference.outputs(case, contents) | examples | unrenewed)
            for name, answer in list(passing.items()):
                outputs, known = answer(task, case, contents, references), evidence.setdefault(name, {})
                if not _is_right(reference, case, contents, outputs, references[-1], known):
                    del passing[name]
        shown_wrong = {name for name, found in evidence.items() if any(one.problem() for one in found.values())}
        passing = {name: null for name, null in passing.items() if name not in shown_wrong}
        if not passing:
            break
    return sorted(passing)


def _is_right(
    reference: Reference,
    case: Case,
    contents: Contents,
    outputs: Outputs,
    wanted: Outputs,
    evidence: dict[str, CallsEvidence],
) -> bool:
    judged = comparisons(reference, case, contents, outputs, wanted, baseline=None, least_scales={})
    if any(comparison.reason is not None for comparison in judged):
        return False
    for spec in filter(is_judged_by_calls, reference.task.outputs):
        known = evidence.setdefault(spec.name, evidence_of(reference.task, spec, case))
        seed = str(spec.seed)
        for now in (contents, {**contents, seed: torch.as_tensor(contents[seed]) ^ 1}):  # none of them reads a seed
            if shown(known, spec, now, outputs[spec.name], wanted[spec.name], reference):
                return False
    return True


def unbroken_relations(task: TaskSpec, seed: Seed | None = None) -> list[str]:
    """Return the relations that every null candidate keeps on the first draw of every small case: they ask nothing."""
    seed, reference, waiting = seed or Seed(), Reference(task), {relation.name for relation in task.relations}
    for case in task.cases_of(PROFILES) if waiting else ():
        contents = contents_of(task, case, draws_of(task)[0], seed)
        wanted = reference.outputs(case, contents)
        for null in relation_nulls(task).values():
            outputs = _all_outputs(null, task, case, contents, [wanted])
            found = measured(reference, case, contents, outputs, wanted, {})
            waiting -= {relation.name for relation, error, allowed in found if error > allowed}
    return sorted(waiting)


def answers_of(task: TaskSpec) -> dict[str, Answer]:
    """Return the null candidates of a task by name: what each answers to a draw."""
    nulls = NULLS | _nulls_of_forms(task)
    found: dict[str, Answer] = {name: partial(_each_output, null) for name, null in nulls.items()}
    return found | {name: partial(_all_outputs, null) for name, null in relation_nulls(task).items()}


def _each_output(null: Null, task: TaskSpec, case: Case, contents: Contents, references: list[Outputs]) -> Outputs:
    outputs = {}
    for spec in task.outputs:
        indices = (-1, max(0, len(references) - 2), 0)
        now, before, first = (_expected_output(spec, case, references[index]) for index in indices)
        if len(references) == 1:  # the first draw has no previous output
            before = first = torch.zeros_like(now)
        greatest = tuple(int(extent.value(case.numbers)) for extent in spec.shape)
        dtype, exact = getattr(torch, task.dtype_of(spec.dtype, case)), references[-1][spec.name]
        kept = Mask.of(spec.dropout, case).kept(exact) if spec.dropout and not spec.dropout.hidden else exact
        stale = references[-1].get(_unrenewed(spec))
        unrenewed = now if stale is None else _expected_output(spec, case, {**references[-1], spec.name: stale})
        outputs[spec.name] = null(NullCase(spec, dtype, contents, greatest, now, before, first, kept, unrenewed))
    return outputs


def _all_outputs(
    null: RelationNull, task: TaskSpec, case: Case, contents: Contents, references: list[Outputs]
) -> Outputs:
    outputs = null(task, contents, references[-1])
    return {spec.name: outputs[spec.name].to(getattr(torch, task.dtype_of(spec.dtype, case))) for spec in task.outputs}


def _nulls_of_forms(task: TaskSpec) -> dict[str, Null]:
    """Return the null candidates of tasks with random outputs or derived inputs.

    Of random ones one draws nothing, and one draws once for all calls. Where inputs are derived, one is right but for
    the renewal: it answers for the set that was there before, as who keeps a plan does.
    """
    nulls = dict[str, Null]()
    if task.derived:
        nulls["set_before_renewal"] = lambda case: case.unrenewed.to(case.dtype)
    if any(output.dropout for output in task.outputs):
        nulls["nothing_dropped"] = lambda case: case.kept.to(case.dtype)
    if any(is_judged_by_calls(output) for output in task.outputs):
        nulls["drawn_once"] = lambda case: case.expected.to(case.dtype)
    return nulls


def _drawn_examples(reference: Reference, contents: Contents, case: Case) -> dict[str, torch.Tensor]:
    """Return an example of each output whose dropout is hidden: normal numbers of the same mean and covariance."""
    examples = {}
    for spec in reference.task.outputs:
        if spec.dropout is not None and spec.dropout.hidden:
            shape = spec.reference_shape(case)
            rows, columns = torch.arange(math.prod(shape[:-1])), torch.arange(shape[-1])
            values, vectors = torch.linalg.eigh(reference.covariance(spec, contents, rows, columns))
            normal = torch.randn(len(rows), len(columns), 1, generator=torch.Generator().manual_seed(0)).double()
            noise = vectors @ (values.clamp(min=0).sqrt()[:, :, None] * normal)
            examples[_drawn(spec)] = noise.reshape(shape)
    return examples


def _unrenewed_outputs(
    reference: Reference, contents: Contents, case: Case, draw: Draw, seed: Seed
) -> dict[str, torch.Tensor]:
    """Return what would be expected if the derived inputs had not been renewed; nothing where they have not been."""
    task = reference.task
    if not is_renewed(task, draw):
        return {}
    outputs = reference.outputs(case, {**contents, **set_before_renewal(task, case, draw, seed)})
    return {_unrenewed(spec): outputs[spec.name] for spec in task.outputs}


def _unrenewed(spec: Output) -> str:
    return f"{spec.name} before the renewal"


def _drawn(spec: Output) -> str:
    return f"{spec.name} drawn"


def _expected_output(spec: Output, case: Case, references: Outputs) -> torch.Tensor:
    """Return the reference's output, or what is drawn from it where it is random: the same in every call."""
    reference = references[spec.name]
    if spec.dropout is not None and spec.dropout.hidden:
        return reference + references[_drawn(spec)]
    if spec.dropout is not None:
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
    """Return the mean of the expected output, which has the smallest RMSE of all constants; of integers the mode."""
    if not case.dtype.is_floating_point and case.expected.numel():
        return torch.full_like(case.expected, case.expected.flatten().mode().values.item()).to(case.dtype)
    finite = case.expected.double()[case.expected.isfinite()]
    return torch.full_like(case.expected, float(finite.mean()) if finite.numel() else 0.0).to(case.dtype)


def _first_input(case: NullCase) -> torch.Tensor:
    """Return the first input tensor, cut or repeated to size."""
    return _from_input(case, tuple(case.expected.shape))


def _from_input(case: NullCase, shape: tuple[int, ...]) -> torch.Tensor:
    given = next((value for value in case.contents.values() if isinstance(value, torch.Tensor)), None)
    count = math.prod(shape)
    if given is None or not given.numel() or not count:
        return torch.zeros(shape, dtype=case.dtype)
    flat = given.reshape(-1)
    return flat.repeat(-(-count // flat.numel()))[:count].reshape(shape).to(case.dtype)


def _own_index(case: NullCase) -> torch.Tensor:
    """Return for each element its place in the output."""
    return torch.arange(case.expected.numel()).reshape(case.expected.shape).to(case.dtype)


def _empty(case: NullCase) -> torch.Tensor:
    """Return nothing where the length varies, and what is expected elsewhere."""
    return (case.expected[:0] if case.spec.varying else case.expected).to(case.dtype)


def _greatest(case: NullCase) -> torch.Tensor:
    """Return the first input at the greatest length where it varies, and what is expected elsewhere."""
    return _from_input(case, case.greatest) if case.spec.varying else case.expected.to(case.dtype)


NULLS: dict[str, Null] = {
    "nothing_written": _unwritten,
    "zeros": _filled(0.0),
    "ones": _filled(1.0),
    "not_a_number": _filled(float("nan")),
    "best_constant": _best_constant,
    "first_input": _first_input,
    "previous_output": lambda case: case.previous.to(case.dtype),
    "output_of_another_input": lambda case: case.first.to(case.dtype),
    "own_index": _own_index,
    "empty": _empty,
    "greatest_length": _greatest,
}
LENGTHS = ("empty", "greatest_length")  # wrong where an output varies
