"""What the calls of a case show of an output that is random: each by itself, and all together.

`numbers` and `dropout` say what each element shows, `independence` tests how elements and calls depend on each other.
Outcomes (`sampling`) have rules of their own, since each row of them has another distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial

import torch

from evaluator.judge.draws import Contents
from evaluator.judge.dropout import Mask
from evaluator.judge.hidden_dropout import HiddenEvidence
from evaluator.judge.independence import Trail, dependence, secret_window
from evaluator.judge.numbers import FOURTH_MOMENTS, NumbersDistribution, numbers_problem, unlike
from evaluator.judge.reference import Reference
from evaluator.tasks.spec import Case, Numbers, Output, TaskSpec, Tolerance


@dataclass(slots=True)
class RandomEvidence:
    """The evidence on one output of one case. `seed`, wherever it stands, is the number that a call was given."""

    rule: NumbersDistribution | Mask
    tau: float  # the task's, of each element
    window: slice  # of the elements: what is compared with other calls
    trail: Trail
    numbers: dict[int, torch.Tensor] = field(default_factory=dict)  # by seed; none of a mask

    @classmethod
    def of(cls, spec: Output, case: Case, dtype: str, tolerance: Tolerance | None) -> RandomEvidence:
        shape, tau = spec.reference_shape(case), tolerance.tau if tolerance else 0.0
        columns = max(1, shape[-1]) if shape else 1
        window = secret_window(math.prod(shape), columns)
        if isinstance(spec.sampled, Numbers):
            rule = NumbersDistribution.of(spec.sampled, case, getattr(torch, dtype))
            return cls(rule, tau, window, Trail(FOURTH_MOMENTS, columns))
        assert spec.dropout is not None
        mask = Mask.of(spec.dropout, case)
        return cls(mask, tau, window, Trail((mask.fourth_moment,), columns))

    def add(self, seed: int, output: torch.Tensor, reference: torch.Tensor) -> str | None:
        """Add the output of a call, whose values are right; return what it shows, by itself or beside the others."""
        if not output.numel():
            return None
        flat = output.to(reference.device).reshape(-1)
        if isinstance(self.rule, NumbersDistribution):
            if found := numbers_problem(flat, self.rule, self.window):
                return found
            self.numbers.setdefault(seed, flat[self.window].clone())
            scores = self.rule.scores(flat)
        else:
            scores = self.rule.scores(flat, reference.reshape(-1), self.tau)[None]
        if found := next(filter(None, map(dependence, scores)), None):
            return found
        if self.trail.repeated(seed, scores[:, self.window]):
            return "the same random numbers as in a call with another seed"
        self.trail.add(seed, scores[:, self.window])
        return None

    @property
    def calls_needed(self) -> int:
        """How many more calls on each kind of inputs give enough elements."""
        return self.trail.calls_needed if self.trail.calls else 0

    def problem(self) -> str | None:
        """Return what is wrong with all calls together, or None, also where the output has no elements."""
        if not self.trail.calls:
            return None
        if isinstance(self.rule, NumbersDistribution) and (
            found := unlike(torch.cat(list(self.numbers.values())), self.rule)
        ):
            return found
        return self.trail.problem()


CallsEvidence = RandomEvidence | HiddenEvidence


def evidence_of(task: TaskSpec, spec: Output, case: Case) -> CallsEvidence:
    """Return the evidence on an output of one case, of no call yet."""
    dtype, shape = task.dtype_of(spec.dtype, case), spec.reference_shape(case)
    tolerance = task.tolerance.get(dtype)
    if spec.dropout and spec.dropout.hidden:
        assert tolerance is not None, "the task reader demands one for every floating dtype"
        return HiddenEvidence.of(Mask.of(spec.dropout, case).p, tolerance.tau, shape)
    return RandomEvidence.of(spec, case, dtype, tolerance)


def shown(
    evidence: CallsEvidence,
    spec: Output,
    contents: Contents,
    output: torch.Tensor,
    expected: torch.Tensor,
    reference: Reference,
) -> str | None:
    """Add the output of a call, whose values are right, to the evidence; return what it shows, or None."""
    seed = int(torch.as_tensor(contents[str(spec.seed)]))
    if isinstance(evidence, HiddenEvidence):
        return evidence.add(seed, output, expected, partial(reference.covariance, spec, contents))
    return evidence.add(seed, output, expected)


def is_judged_by_calls(spec: Output) -> bool:
    """Whether the output's values are random, so that this evidence decides, and not one comparison."""
    return isinstance(spec.sampled, Numbers) or spec.dropout is not None
