"""Test outputs that are computed, linearly, from something with dropout: by mean and covariance, as no mask is seen.

The task's reference returns the mean, and its `covariance` that of elements of one row; rows are independent of each
other. Of each call the judge looks at the same few rows and columns, which nobody else knows. A row shows its energy
(the mean square of its elements in standard deviations) and its projection on the mean; two rows, or one row in two
calls on the same inputs, show their product. All have known means and variances, in any call on any inputs. Sums are
judged in units of their own size, which is safe for sums that are symmetric or have a long tail above; what is too
small is judged by Bernstein's bound, since squares end at 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from evaluator.judge.draws import Seed
from evaluator.judge.independence import FALSE_ALARM

ROWS, COLUMNS = 128, 64
ENOUGH_ROWS = 2048  # in all calls of a case, to see that p is off by 0.02
MOST_CALLS = 16
FAR = 20.0  # standard deviations that no element is off, and the sum of no call's energies
VISIBLE = 2.0  # a standard deviation, in units of the error that the tolerance allows an element
LEAST = 1e-300  # so that nothing is divided by 0

Covariance = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]  # of rows and columns → [rows, columns, columns]


@dataclass(slots=True)
class HiddenEvidence:
    """The evidence on one output of one case."""

    p: float
    tau: float
    rows: torch.Tensor
    columns: torch.Tensor
    calls: dict[int, tuple[torch.Tensor, ...]] = field(default_factory=dict)  # by seed: energy, variance, projection …
    pairs: list[torch.Tensor] = field(default_factory=list)  # products of a row in two calls on the same inputs
    _last: tuple[torch.Tensor, torch.Tensor] | None = None  # mean and elements of the last call

    @classmethod
    def of(cls, p: float, tau: float, shape: tuple[int, ...]) -> HiddenEvidence:
        generator = Seed().generator("rows and columns")
        rows, columns = (
            torch.randperm(size, generator=generator)[:most].sort().values
            for size, most in ((math.prod(shape[:-1]), ROWS), (shape[-1], COLUMNS))
        )
        return cls(p, tau, rows, columns)

    def add(self, seed: int, output: torch.Tensor, reference: torch.Tensor, covariance: Covariance) -> str | None:
        """Add the output of a call; return what it shows by itself."""
        rows, columns = (chosen.to(reference.device) for chosen in (self.rows, self.columns))
        mean, seen = (
            each.to(reference.device).double().reshape(-1, each.shape[-1])[rows][:, columns]
            for each in (reference, output)
        )
        spread = covariance(rows, columns)
        deviation = spread.diagonal(dim1=1, dim2=2).sqrt()
        error = self.tau * (float(mean.square().mean().sqrt()) + mean.abs())
        if outside := int(((seen - mean).abs() > FAR * deviation + error).sum()):
            return f"{outside} of {seen.numel()} elements are further from the mean than dropout takes them"
        tells = (deviation > VISIBLE * error).all(1)
        if seed in self.calls or not bool(tells.any()):
            return None
        mean, deviation, spread = mean[tells], deviation[tells], spread[tells]
        alike = spread / deviation[:, :, None] / deviation[:, None, :]
        elements = (seen[tells] - mean) / deviation
        energy = elements.square().mean(1) - 1
        variance = self._most * alike.square().mean((1, 2))
        along = (spread @ mean[:, :, None])[:, :, 0]
        projection = ((seen[tells] - mean) * mean).sum(1) / (mean * along).sum(1).sqrt().clamp(min=LEAST)
        flat = alike.flatten(1)
        sizes = (flat @ flat.T).sqrt()
        products = elements @ elements.T / sizes
        if float(energy.sum().abs()) > FAR * float(variance.sum().sqrt()):
            return f"the variance is {float(energy.mean()) + 1:.2f} times what dropout gives"
        if self._last is not None and torch.equal(self._last[0], mean):
            self.pairs.append((self._last[1] * elements).sum(1) / sizes.diagonal())
        self._last = (mean, elements)
        self.calls[seed] = (energy, variance, projection, products, elements)
        return None

    @property
    def calls_needed(self) -> int:
        """How many more calls on each kind of inputs give enough rows."""
        known = sum(len(call[0]) for call in self.calls.values())
        return min(MOST_CALLS, math.ceil(max(0, ENOUGH_ROWS - known) / (known / len(self.calls)))) if known else 0

    def problem(self) -> str | None:
        """Return what is wrong with all calls together, or None."""
        if not self.calls:
            return "no element tells whether something is dropped"
        energy, variance, projection = (torch.cat([call[at] for call in self.calls.values()]) for at in range(3))
        squares = projection.square() - 1
        if _is_large(projection):
            return f"the mean is off by {float(projection.mean()):.2f} standard deviations"
        for what, sums, most in (("variance", energy, variance), ("variance along the mean", squares, self._most)):
            if _is_large(sums, both=False) or _is_small(sums, most):
                return f"the {what} is {float(sums.mean()) + 1:.2f} times what dropout gives"
        if _is_large(torch.cat([call[4] for call in self.calls.values()]).T):
            return "the mean of a column is wrong"
        if self.pairs and _is_large(torch.cat(self.pairs)):
            return "what is dropped is not independent of what another seed drops"
        return self._rows_problem()

    def _rows_problem(self) -> str | None:
        for distance in range(1, ROWS):
            products = torch.cat([call[3].diagonal(distance) for call in self.calls.values()])
            if len(products) and _is_large(products, tests=ROWS):
                return f"what is dropped in rows {distance} apart is not independent"
        return None

    @property
    def _most(self) -> float:
        """The most that a square of a normalised sum may vary: that of a normal number, or of a single mask."""
        return 2 + max(0.0, (1 - 6 * self.p * (1 - self.p)) / (self.p * (1 - self.p)))


def _is_large(terms: torch.Tensor, *, both: bool = True, tests: int = 1) -> bool:
    """Return whether sums over the last dimension are far from 0 (or only above it), in units of their own size."""
    sums = terms.sum(-1) / terms.square().sum(-1).sqrt().clamp(min=LEAST)
    found = float((sums.abs() if both else sums).max())
    return found > math.sqrt(2 * math.log(2 * tests * max(1, sums.numel()) / FALSE_ALARM))


def _is_small(terms: torch.Tensor, variance: torch.Tensor | float) -> bool:
    """Return whether a sum of terms that are at least -1 is too small, by Bernstein's bound."""
    total = float(variance.sum()) if isinstance(variance, torch.Tensor) else variance * len(terms)
    exponent = math.log(1 / FALSE_ALARM)
    return -float(terms.sum()) > exponent / 3 + math.sqrt(exponent**2 / 9 + 2 * total * exponent)
