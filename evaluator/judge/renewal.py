"""New contents of derived inputs before each timed call, from one word: the bench does the same on the device.

A set has relations that independent new values would break: offsets add up, ids name rows that exist, a matrix is
symmetric. So its elements change places and names alone. For each axis that config.yaml names, the word gives one
random order of 0 … n - 1, and the whole set follows it: element i of an ordered dimension goes to place order[i], an id
i becomes order[i], and where runs of elements belong to i, they move as a whole. A symmetric positive definite matrix
in one new order of its rows and columns is one still, as well conditioned as before.

"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from evaluator.judge.derived import DerivedSet
from evaluator.judge.seal import MASK, mixed, mixed_all, signed
from evaluator.tasks.spec import Case, Renewal, TaskSpec

ROUNDS = 4  # of a Feistel network, whose rounds are splitmix64's finaliser
WORD_BYTES = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def renewed(task: TaskSpec, case: Case, made: DerivedSet, word: int) -> DerivedSet:
    """Return the set as it is after the renewal with this word."""
    renewals = {item.name: item.derived for item in task.inputs if item.derived and item.name in made}
    orders = {
        axis.name: Order(case.numbers[axis.name], mixed(word + number & MASK))
        for number, axis in enumerate(task.axes)
        if axis.kind == "dim"
    }
    return {name: _renewed(name, made, renewals, orders) for name in renewals}


def renewal_spec(task: TaskSpec, case: Case, renewal: Renewal) -> dict[str, object]:
    """Return the renewal of one input as the bench takes it: numbers of axes and inputs, -1 for nothing."""
    axes = {axis.name: number for number, axis in enumerate(task.axes)}
    names = [item.name for item in task.inputs]
    return {
        "order": [axes[name] if name else -1 for name in renewal.order],
        "scale": [axes[name] if name else -1 for name in renewal.scale],
        "relabel": axes[renewal.relabel] if renewal.relabel else -1,
        "offsets": axes[renewal.offsets] if renewal.offsets else -1,
        "segments": names.index(renewal.segments) if renewal.segments else -1,
        "counts": [case.numbers.get(name, 0) for name in axes],
    }


@dataclass(frozen=True, slots=True)
class Order:
    """A permutation of 0 … count - 1: a Feistel network over the next power of four, until it ends below."""

    count: int
    key: int

    def of(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the place of each of these ids (int64), which are below count."""
        half = max(1, ((self.count - 1).bit_length() + 1) // 2)
        places, waiting = ids.clone(), torch.ones_like(ids, dtype=torch.bool)
        while bool(waiting.any()):
            places[waiting] = _shuffled(places[waiting], half, self.key)
            waiting = places >= self.count
        return places

    def whole(self, device: torch.device | str = "cpu") -> torch.Tensor:
        return self.of(torch.arange(self.count, dtype=torch.int64, device=device))

    def factors(self, device: torch.device | str) -> torch.Tensor:
        """Return a positive factor for each element, 0.75 to 1.25, of which a product of two is exact in float32."""
        words = mixed_all(torch.arange(self.count, dtype=torch.int64, device=device) + signed(self.key))
        high = (words >> 32) & 0xFFFFFFFF  # of an unsigned word, which int64 has not
        rest = ((high % 129) * (2**32 % 129) + (words & 0xFFFFFFFF) % 129) % 129
        return (192 + rest).double() / 256


def _shuffled(places: torch.Tensor, half: int, key: int) -> torch.Tensor:
    mask = (1 << half) - 1
    left, right = places >> half, places & mask
    for number in range(ROUNDS):
        left, right = right, left ^ (mixed_all(right + signed(key + (number << 32) & MASK)) & mask)
    return left << half | right


def _renewed(name: str, made: DerivedSet, renewals: Mapping[str, Renewal], orders: Mapping[str, Order]) -> torch.Tensor:
    value, renewal, product = made[name], renewals[name], None
    if renewal.offsets:
        return _reordered_runs(value, orders[renewal.offsets].whole(value.device))
    places = [orders[axis].whole(value.device) if axis else None for axis in renewal.order] or [None] * value.dim()
    if renewal.segments:
        order = orders[renewals[renewal.segments].offsets or ""]
        places[0] = _moved_runs(made[renewal.segments], order.whole(value.device), value.shape[0])
    for axis, scaled in enumerate(renewal.scale):
        if scaled:
            factors = orders[scaled].factors(value.device).view([-1 if at == axis else 1 for at in range(value.dim())])
            product = factors if product is None else product * factors
    if product is not None:
        value = value * product.to(value.dtype)
    bits = value.view(WORD_BYTES[value.element_size()])
    for axis, place in enumerate(places):
        if place is not None:
            bits = torch.empty_like(bits).index_copy_(axis, place, bits)
    if renewal.relabel:
        order = orders[renewal.relabel]
        known = (bits >= 0) & (bits < order.count)
        bits = bits.masked_scatter(known, order.of(bits[known].long()).to(bits.dtype))
    return bits.view(value.dtype)


def _reordered_runs(offsets: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    """Return the offsets of the same runs in the new order."""
    wide = offsets.long()
    lengths = torch.empty_like(order).index_copy_(0, order, wide.diff())
    return torch.cat([wide[:1], wide[0] + lengths.cumsum(0)]).to(offsets.dtype)


def _moved_runs(offsets: torch.Tensor, order: torch.Tensor, count: int) -> torch.Tensor:
    """Return where each of `count` elements goes with its run; those before the first and behind the last stay."""
    wide, now = offsets.long(), torch.arange(count, dtype=torch.int64, device=offsets.device)
    owner = torch.searchsorted(wide, now, right=True) - 1
    owned = (owner >= 0) & (owner < len(order))
    owner = owner[owned]
    return now.masked_scatter(owned, _reordered_runs(offsets, order).long()[order[owner]] + now[owned] - wide[owner])
