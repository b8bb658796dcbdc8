"""Test whether random outputs follow the right distribution. Any random generator is allowed, so values may differ.

Each call is tested by itself: every sample is mapped to a number between 0 and 1 that is uniform if the distribution is
right, the mass of the outcomes before its own plus a random part of its own mass. Two orders of the outcomes find two
kinds of error: by likelihood, distributions that are too sharp or too flat; by number, a preference for one end.

All calls of a case are tested together (`Evidence`) for what no single one shows: a small preference for the likeliest
outcome, and samples that depend on each other. For this each sample has a score by its place in an order, with mean 0
and variance 1 if the distribution is right, so that sums of independent scores have known sizes. The sum over a row is
too small where samples are spread evenly on purpose (quotas, mirrored pairs), and too large where they repeat; the sum
over a column is too large where rows share their random numbers; and neighbours are alike where samples are sorted. All
bounds of chances are upper bounds, so false alarms are rarer than the thresholds say.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch

FALSE_ALARM = 1e-10  # probability per test of a correct sampler; an evaluation makes some hundred tests of calls
FALSE_ALARM_TOGETHER = 1e-8  # of all calls of a case; an evaluation makes some eighty
ENOUGH = 270  # samples of each kind of inputs that a case needs for its tests
ENOUGH_A_ROW = 12  # samples of one row that are summed, where a call gives fewer
CERTAIN = 0.9  # rows with a likelier outcome tell nothing of dependence
ORDERS = ("likelihood", "number")


def sampling_problem(samples: torch.Tensor, probabilities: torch.Tensor) -> str | None:
    """Return what is wrong with samples [..., count] from distributions [..., outcomes], or None if they fit."""
    rows, drawn = _flat(samples, probabilities)
    outcomes = rows.shape[1]
    if outside := int(((drawn < 0) | (drawn >= outcomes)).sum()):
        return f"{outside} of {drawn.numel()} samples are outside the {outcomes} outcomes"
    if impossible := int((rows.gather(1, drawn) == 0).sum()):
        return f"{impossible} of {drawn.numel()} samples have probability 0"
    for order in ORDERS:
        table, places = _ordered(rows, drawn, order)
        distance, allowed = _distance(table, places), _allowed(drawn.numel())
        if distance > allowed:
            found = f"distance {distance:.3f} from the distribution, allowed {allowed:.3f}"
            return f"{drawn.numel()} samples, by {order}: {found}"
    return None


def must_differ(probabilities: torch.Tensor, count: int) -> bool:
    """Return whether two independent sets of `count` samples per distribution are almost certain to differ."""
    rows = probabilities.reshape(-1, probabilities.shape[-1])
    return float(rows.square().sum(1).log().sum()) * count < math.log(FALSE_ALARM)


def example(probabilities: torch.Tensor, count: int, generator: torch.Generator) -> torch.Tensor:
    """Draw samples [..., count] from distributions [..., outcomes]."""
    rows = probabilities.reshape(-1, probabilities.shape[-1])
    drawn = torch.multinomial(rows, count, replacement=True, generator=generator)
    return drawn.reshape(*probabilities.shape[:-1], count)


@dataclass(slots=True)
class Evidence:
    """The scores of one case's samples in the order of its calls, and how often the likeliest outcome was drawn."""

    scores: dict[str, list[torch.Tensor]] = field(default_factory=lambda: {order: [] for order in ORDERS})
    fourth: dict[str, list[torch.Tensor]] = field(default_factory=lambda: {order: [] for order in ORDERS})
    likeliest: dict[str, _Excess] = field(default_factory=dict)  # by kind of inputs

    def add(self, kind: str, samples: torch.Tensor, probabilities: torch.Tensor) -> None:
        """Add the samples of one call that passed `sampling_problem`."""
        rows, drawn = _flat(samples, probabilities)
        for order in ORDERS:
            table, places = _ordered(rows, drawn, order)
            scores, fourth = _scores(table, places)
            self.scores[order].append(scores)
            self.fourth[order].append(fourth)
        most = rows.max(1)
        hits = (drawn == most.indices[:, None]).sum(1)
        self.likeliest.setdefault(kind, _Excess()).add(hits, most.values, drawn.shape[1])

    @property
    def calls_needed(self) -> int:
        """How many more calls on each kind of inputs give enough samples; 0 where one call does."""
        rows, count = self.scores["number"][0].shape
        needed = max(math.ceil(ENOUGH / (rows * count)), math.ceil(ENOUGH_A_ROW / count))
        return needed if needed > 1 else 0

    def problem(self) -> str | None:
        """Return what is wrong with all samples together, or None."""
        for kind, excess in self.likeliest.items():
            if excess.chance() < FALSE_ALARM_TOGETHER:
                return (
                    f"{kind} inputs: the likeliest outcome is drawn {excess.hits} times, expected {excess.expected:.1f}"
                )
        for order in ORDERS:
            if self.scores[order] and (found := _dependence(self.scores[order], self.fourth[order])):
                return f"samples by {order}: {found}"
        return None


@dataclass(slots=True)
class _Sum:
    """A sum of independent terms that are 0 on average, with its variance and the largest term that can occur."""

    total: float = 0.0
    variance: float = 0.0
    largest: float = 0.0

    def add(self, total: float, variance: float, largest: float) -> None:
        self.total, self.variance, self.largest = (
            self.total + total,
            self.variance + variance,
            max(self.largest, largest),
        )

    def chance(self) -> float:
        """Return Bennett's bound of the probability that the sum is this far from 0."""
        if self.total == 0:
            return 1.0
        if self.variance == 0:
            return 0.0
        excess = self.largest * abs(self.total) / self.variance
        exponent = self.variance / self.largest**2 * ((1 + excess) * math.log1p(excess) - excess)
        return min(1.0, 2 * math.exp(-exponent))


@dataclass(slots=True)
class _Excess:
    """How often the likeliest outcome was drawn beyond what is expected: as a number, and in units of each chance."""

    hits: int = 0
    expected: float = 0.0
    plain: _Sum = field(default_factory=_Sum)
    weighted: _Sum = field(default_factory=_Sum)

    def add(self, hits: torch.Tensor, probability: torch.Tensor, count: int) -> None:
        expected = float(probability.sum()) * count
        self.hits += int(hits.sum())
        self.expected += expected
        self.plain.add(float(hits.sum()) - expected, float((probability * (1 - probability)).sum()) * count, 1.0)
        odds = 1 / probability
        self.weighted.add(float((hits * odds - count).sum()), float((odds - 1).sum()) * count, float(odds.max()))

    def chance(self) -> float:
        return min(self.plain.chance(), self.weighted.chance())


def _dependence(calls: list[torch.Tensor], fourth: list[torch.Tensor]) -> str | None:
    count, scores, moments = calls[0].shape[1], torch.cat(calls, 1), torch.cat(fourth, 1)
    width = max(count, ENOUGH_A_ROW)
    whole = scores.shape[1] // width * width
    in_rows = (part[:, :whole].reshape(-1, width) for part in (scores, moments))
    for what, groups in (("of different rows", (scores.T, moments.T)), ("of a row", in_rows)):
        ratio, chance = _spread(*groups)
        if chance < FALSE_ALARM_TOGETHER:
            return f"those {what} are not independent: their sums vary {ratio:.2f} times as much as they should"
    for what, products in _products(calls if count > 1 else [scores]).items():
        pairs, total = int((products != 0).sum()), float(products.sum())
        if pairs and _Sum(total, pairs, float(products.abs().max())).chance() < FALSE_ALARM_TOGETHER:
            return f"{what} are not independent: correlation {total / pairs:.2f}"
    return None


def _products(rows: list[torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the products of scores of the pairs in which dependent samples may lie."""
    count = rows[0].shape[1]
    pairs = {
        "neighbours": [_apart(row, 1) for row in rows],
        "both halves": [_apart(row, offset) for row in rows for offset in {count // 2, (count + 1) // 2}],
        "both ends": [(row * row.flip(1))[:, : count // 2] for row in rows],
    }
    return {what: torch.cat(products, 1) for what, products in pairs.items()}


def _apart(row: torch.Tensor, offset: int) -> torch.Tensor:
    return row[:, : row.shape[1] - offset] * row[:, offset:]


def _spread(scores: torch.Tensor, fourth: torch.Tensor) -> tuple[float, float]:
    """Return how much the sums of groups [groups, samples] vary, 1 on average, and a bound of that chance.

    A squared sum in units of its variance has mean 1 and variance 2 + (excess kurtosis). All together are compared with
    a chi-squared variable of the same mean and variance, by Chernoff's bound.
    """
    known = fourth > 0
    counts = known.sum(1)
    chosen = counts > 1
    if not bool(chosen.any()):
        return 1.0, 1.0
    counts = counts[chosen].double()
    squares = scores[chosen].sum(1).square() / counts
    variances = 2 + (torch.where(known, fourth - 3, 0.0)[chosen].sum(1) / counts.square()).clamp(min=0)
    ratio = float(squares.mean())
    freedom = 2 * len(squares) ** 2 / float(variances.sum())
    if ratio == 0:
        return ratio, 0.0
    return ratio, min(1.0, math.exp(freedom / 2 * (math.log(ratio) + 1 - ratio)))


def _scores(table: torch.Tensor, places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the scores of samples and the fourth moments of their rows' scores; zeros for rows without a choice."""
    middle = table.cumsum(1) - table / 2 - 0.5
    deviation = (table * middle.square()).sum(1, keepdim=True).sqrt()
    open_rows = (table.max(1, keepdim=True).values <= CERTAIN) & (deviation > 0)
    scores = torch.where(open_rows, middle / deviation, 0.0)
    fourth = (table * scores**4).sum(1, keepdim=True)
    return scores.gather(1, places), fourth.expand(places.shape)


def _flat(samples: torch.Tensor, probabilities: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    rows = probabilities.reshape(-1, probabilities.shape[-1])
    return rows, samples.reshape(rows.shape[0], -1).long()


def _ordered(rows: torch.Tensor, drawn: torch.Tensor, order: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the probabilities in an order of the outcomes, and the samples' places in it."""
    if order == "number":
        return rows, drawn
    likeliest = rows.argsort(dim=1, descending=True, stable=True)
    return rows.gather(1, likeliest), likeliest.argsort(dim=1).gather(1, drawn)


def _distance(rows: torch.Tensor, drawn: torch.Tensor) -> float:
    """Return the Kolmogorov distance of the mapped samples from the uniform distribution."""
    upto, own = rows.cumsum(1).gather(1, drawn), rows.gather(1, drawn)
    part = torch.rand(drawn.shape, generator=torch.Generator().manual_seed(0), dtype=rows.dtype).to(rows.device)
    numbers = ((upto - part * own) / rows.sum(1, keepdim=True)).reshape(-1).sort().values
    steps = torch.arange(1, numbers.numel() + 1, dtype=rows.dtype, device=rows.device) / numbers.numel()
    above, below = steps - numbers, numbers - steps + 1 / numbers.numel()
    return float(torch.maximum(above, below).max()) if numbers.numel() else 0.0


def _allowed(count: int) -> float:
    """Return the largest distance allowed: Massart's bound, which holds for every count."""
    return math.sqrt(math.log(2 / FALSE_ALARM) / (2 * max(1, count)))
