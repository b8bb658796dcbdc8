"""Test outputs that are computed, linearly, from something with dropout: by mean and covariance, as no mask is seen.

The task's reference returns the mean, and its `covariance` that of elements of one row; rows are independent of each
other. Of each call the judge looks at a few rows and columns, the last ones among them; the others are new in each
call, and nobody else knows them. A row shows its energy (the mean square of its elements in standard deviations) and
its projection on the mean; two rows show their product. All have known means and variances, in any call on any inputs.

Sums of elements with fixed weights are sums of weighted masks: Hoeffding's bound holds for them, so each row and each
column has a test of its own, and so has the product of a row in two calls on the same inputs, since the first call
fixes the weights. Other sums are judged in units of their own size, which is safe for sums that are symmetric or have
a long tail above; what is too small is judged by Bennett's bound, since squares end at 0. That one mask is kept from
inputs to other inputs does not show.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from evaluator.judge.draws import Seed
from evaluator.judge.independence import FALSE_ALARM

ROWS, COLUMNS = 128, 64  # of a call, at most
ENOUGH_ROWS = 2048  # in all calls of a case, to see that p is off by 0.02
MOST_CALLS = 16
FAR = 20.0  # standard deviations that no element is off, and the sum of no call's energies
VISIBLE = 2.0  # a standard deviation, in units of the error that the tolerance allows an element
LEAST = 1e-300  # so that nothing is divided by 0

ROW, COLUMN = "the mean of a row is wrong", "the mean of a column is wrong"
COLUMN_ALONG = "a column is wrong along its mean"
AGAIN = "what is dropped is not independent of what another seed drops"

Covariance = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]  # of rows and columns → [rows, columns, columns]


@dataclass(slots=True)
class _Sums:
    """Sums over all calls, one for each row or column, and their variances."""

    terms: torch.Tensor
    variance: torch.Tensor

    @classmethod
    def of(cls, size: int) -> _Sums:
        return cls(*torch.zeros(2, size, dtype=torch.float64))

    def add(self, at: torch.Tensor, terms: torch.Tensor, variance: torch.Tensor) -> None:
        for sums, each in ((self.terms, terms), (self.variance, variance)):
            sums.index_add_(0, at.cpu(), each.cpu())


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a call showed."""

    rows: torch.Tensor
    columns: torch.Tensor
    mean: torch.Tensor  # of those rows and columns
    elements: torch.Tensor  # in standard deviations, of the rows that tell


@dataclass(slots=True)
class HiddenEvidence:
    """The evidence on one output of one case."""

    p: float
    tau: float
    sizes: tuple[int, int]  # how many rows and columns there are
    energies: _Sums
    means: dict[str, _Sums]  # what is wrong unless these sums are 0 but for chance
    calls: dict[int, tuple[torch.Tensor, ...]] = field(default_factory=dict)  # by seed: energy, variance, projection …
    _last: _Seen | None = None

    @classmethod
    def of(cls, p: float, tau: float, shape: tuple[int, ...]) -> HiddenEvidence:
        rows, columns = sizes = math.prod(shape[:-1]), shape[-1]
        means = {AGAIN: 1, ROW: rows, COLUMN: columns, COLUMN_ALONG: columns}
        return cls(p, tau, sizes, _Sums.of(rows), {name: _Sums.of(size) for name, size in means.items()})

    def add(self, seed: int, output: torch.Tensor, reference: torch.Tensor, covariance: Covariance) -> str | None:
        """Add the output of a call; return what it shows by itself."""
        whole = reference.reshape(-1, reference.shape[-1])
        last = self._last if self._last and _is_same(self._last, whole) else None
        rows, columns = (last.rows, last.columns) if last else self._chosen(reference.device)
        mean, seen = (
            each.to(reference.device).reshape(whole.shape)[rows][:, columns].double() for each in (reference, output)
        )
        spread = covariance(rows, columns)
        deviation = spread.diagonal(dim1=1, dim2=2).sqrt()
        error = self.tau * (float(mean.square().mean().sqrt()) + mean.abs())
        if outside := int(((seen - mean).abs() > FAR * deviation + error).sum()):
            return f"{outside} of {seen.numel()} elements are further from the mean than dropout takes them"
        tells = (deviation > VISIBLE * error).all(1)
        if seed in self.calls or not bool(tells.any()):
            return None
        alike = (spread / deviation[:, :, None] / deviation[:, None, :])[tells]
        elements = ((seen - mean) / deviation)[tells]
        energy = elements.square().mean(1) - 1
        variance = self._most * alike.square().mean((1, 2))
        if float(energy.sum().abs()) > FAR * float(variance.sum().sqrt()):
            return f"the variance is {float(energy.mean()) + 1:.2f} times what dropout gives"
        if last:
            products = (each.sum()[None] for each in _along(elements, last.elements, alike))
            self.means[AGAIN].add(torch.tensor([0]), *products)
        self._last = _Seen(rows, columns, mean, elements)
        rows, weights = rows[tells], (mean / deviation)[tells]
        terms, squares = _along(elements, (mean * deviation)[tells], alike)
        projection = terms / squares.sqrt().clamp(min=LEAST)
        self.energies.add(rows, energy, variance)
        self.means[ROW].add(rows, projection, torch.ones_like(projection))
        self.means[COLUMN].add(columns, elements.sum(0), torch.ones_like(elements).sum(0))
        self.means[COLUMN_ALONG].add(columns, (elements * weights).sum(0), weights.square().sum(0))
        flat = alike.flatten(1)
        self.calls[seed] = (energy, variance, projection, elements @ elements.T / (flat @ flat.T).sqrt())
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
        most = torch.full_like(squares, self._most)
        for what, sums, each in (("variance", energy, variance), ("variance along the mean", squares, most)):
            if _is_large(sums, both=False) or _is_small(sums.sum()[None], each.sum()[None]):
                return f"the {what} is {float(sums.mean()) + 1:.2f} times what dropout gives"
        if _is_small(self.energies.terms, self.energies.variance):
            return "in one row the variance is too small"
        for name, means in self.means.items():
            if self._is_off(means):
                return name
        return self._rows_problem()

    def _rows_problem(self) -> str | None:
        for distance in range(1, ROWS):
            products = torch.cat([call[3].diagonal(distance) for call in self.calls.values()])
            if len(products) and _is_large(products, tests=ROWS):
                return f"what is dropped in rows {distance} apart is not independent"
        return None

    def _chosen(self, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the rows and columns of a call that are judged."""
        generator = Seed().generator("rows and columns")
        rows, columns = (
            torch.cat(
                [torch.randperm(size - 1, generator=generator)[: most - 1].sort().values, torch.tensor([size - 1])]
            )
            for size, most in zip(self.sizes, (ROWS, COLUMNS), strict=True)
        )
        return rows.to(device), columns.to(device)

    def _is_off(self, sums: _Sums) -> bool:
        """Return whether one of these sums of weighted masks is further from 0 than Hoeffding's bound allows."""
        allowed = math.log(2 * len(sums.terms) / FALSE_ALARM) / (2 * self.p * (1 - self.p))
        return bool((sums.terms.square() > allowed * sums.variance).any())

    @property
    def _most(self) -> float:
        """The most that a square of a normalised sum may vary: that of a normal number, or of a single mask."""
        return 2 + max(0.0, (1 - 6 * self.p * (1 - self.p)) / (self.p * (1 - self.p)))


def _is_large(terms: torch.Tensor, *, both: bool = True, tests: int = 1) -> bool:
    """Return whether sums over the last dimension are far from 0 (or only above it), in units of their own size."""
    sums = terms.sum(-1) / terms.square().sum(-1).sqrt().clamp(min=LEAST)
    found = float((sums.abs() if both else sums).max())
    return found > math.sqrt(2 * math.log(2 * tests * max(1, sums.numel()) / FALSE_ALARM))


def _is_small(sums: torch.Tensor, variance: torch.Tensor) -> bool:
    """Return whether one of these sums of terms that are at least -1 is too small, by Bennett's bound."""
    ratio = -sums.clamp(max=0) / variance.clamp(min=LEAST)
    exponent = variance * ((1 + ratio) * ratio.log1p() - ratio)
    return float(exponent.max()) > math.log(len(sums) / FALSE_ALARM)


def _is_same(last: _Seen, reference: torch.Tensor) -> bool:
    """Return whether a call has the inputs of the last one."""
    return torch.equal(reference[last.rows][:, last.columns].double(), last.mean)


def _along(elements: torch.Tensor, weights: torch.Tensor, alike: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the weighted sum of the elements of each row, and its variance."""
    return (elements * weights).sum(1), torch.einsum("ri,rij,rj->r", weights, alike, weights)
