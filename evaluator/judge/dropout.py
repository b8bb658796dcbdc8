"""Outputs with dropout: what is kept is compared, and what is dropped must be random.

Which elements were dropped is read from the output: they are exactly 0. Where the right value is so close to 0 that the
tolerance allows 0, nothing can be read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from evaluator.tasks.spec import Case, Dropout


@dataclass(frozen=True, slots=True)
class Mask:
    """The elements that an output drops, each with probability p."""

    p: float

    @classmethod
    def of(cls, dropout: Dropout, case: Case) -> Mask:
        return cls(float(dropout.p.value(case.numbers)))

    @property
    def fourth_moment(self) -> float:
        """That of a score."""
        return (1 - 3 * self.p * (1 - self.p)) / (self.p * (1 - self.p))

    def kept(self, reference: torch.Tensor) -> torch.Tensor:
        """Return what each element must be if it is kept."""
        return reference / (1 - self.p)

    def scores(self, output: torch.Tensor, reference: torch.Tensor, tau: float) -> torch.Tensor:
        """Return a score for each element: above 0 where it is dropped, 0 where nothing can be read."""
        kept = torch.where(reference.isfinite(), self.kept(reference), 0.0)
        scale = float(kept.square().mean().sqrt())
        readable = kept.abs() > tau * (scale + kept.abs())
        dropped = (output == 0).double()
        return torch.where(readable, (dropped - self.p) / math.sqrt(self.p * (1 - self.p)), 0.0)

    def example(self, reference: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """Drop elements of a reference as a right kernel does."""
        dropped = torch.rand(reference.shape, generator=generator) < self.p
        return torch.where(dropped, 0.0, self.kept(reference))


def kept_of(
    output: torch.Tensor, reference: torch.Tensor, dropout: Dropout, case: Case
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the elements that an output keeps, and what they must be."""
    output = output.to(reference.device)
    kept = output != 0
    return output[kept], Mask.of(dropout, case).kept(reference)[kept]
