"""Proposes sizes for the six config categories of any contract. "Seen" means the seen cases of the same profile.

edge        at least half of the dimensions have their least allowed value
scale_up    a dimension is above its largest seen value, up to four times as large
scale_down  a dimension is below its smallest seen value; where every dimension has its least value in some seen case,
            no dimension is larger and one is smaller than in the seen case with the fewest bytes
alignment   a dimension of at least 17 steps (of multiple_of) is an odd prime number of steps, or one step from a power
            of two of them, and unseen there; so are most of the others, of at least three steps
asymmetric  a dimension is at least four times its median among the seen cases while another is at most a quarter
production  a dimension, at least as large as its median, has a size of models in production (served.py); the others
            have such sizes or powers of two

The sizes that define the category are pinned; the other dimensions come from a seen case and may shrink until every
coupling and limit holds. For alignment and production, an innermost dimension of an input or output is pinned where
possible: that is where blocks and vectors lie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evaluator.tasks.spec import Axis
from evaluator.unseen.cases import ConfigCategory
from evaluator.unseen.contract import Contract, Sizes, memory_bytes
from evaluator.unseen.counters import CounterStream
from evaluator.unseen.served import served_sizes, usual_sizes

ASPECT = 4  # times the median, and a quarter of another: 16 times the usual aspect ratio
STRETCH = 4  # factor beyond ASPECT that the long side may have
AWKWARD_LEAST = 3  # steps: 1 is an edge, 2 a power of two
AWKWARD_STEPS = 17  # steps: a smaller dimension fits into one block anyway


@dataclass(frozen=True, slots=True)
class Proposal:
    """Sizes for a case; the `pinned` ones define its category. With `usual` the others shrink to usual sizes."""

    sizes: Sizes
    pinned: frozenset[str]
    usual: bool = False

    def lower(self, axis: Axis, least: int) -> int | None:
        """The next smaller size of a dimension: about half, or the next usual one; None if it may not shrink."""
        value = self.sizes[axis.name]
        if axis.name in self.pinned or value <= least:
            return None
        if self.usual:
            smaller = (
                size for size in usual_sizes(axis.name) if least <= size < value and size % axis.multiple_of == 0
            )
            return max(smaller, default=None)
        return max(value // 2 // axis.multiple_of * axis.multiple_of, least)


def propose(category: ConfigCategory, contract: Contract, stream: CounterStream) -> Proposal | None:
    """Sizes of a category, before couplings and limits are checked; None if this try found none."""
    return _PROPOSERS[category](contract, stream)


def awkward(value: int, axis: Axis) -> bool:
    """Whether a value is an odd number of steps, at least three, that is prime or next to a power of two."""
    steps, rest = divmod(value, axis.multiple_of)
    beside_power = ((steps - 1) & (steps - 2)) == 0 or ((steps + 1) & steps) == 0
    return rest == 0 and steps >= AWKWARD_LEAST and steps % 2 == 1 and (beside_power or _is_prime(steps))


def _edge(contract: Contract, stream: CounterStream) -> Proposal:
    half = stream.sample(contract.dims, (len(contract.dims) + 1) // 2)
    pins = {axis.name: contract.least(axis) for axis in half}
    return _proposal(contract, stream, pins)


def _scale_up(contract: Contract, stream: CounterStream) -> Proposal | None:
    room = [(axis, contract.values(axis)[-1] + 1, contract.most(axis)) for axis in contract.dims]
    return _one_of(contract, stream, room)


def _scale_down(contract: Contract, stream: CounterStream) -> Proposal | None:
    """A size below the smallest seen one; the other sizes come from a seen case, or are no larger than in one."""
    room = [(axis, contract.least(axis), contract.values(axis)[0] - 1) for axis in contract.dims]
    found = _one_of(contract, stream, room)
    if found or any(_steps(axis, low, high) for axis, low, high in room):
        return found
    smallest = contract.sizes(min(contract.seen, key=lambda case: memory_bytes(contract.task, case)))
    sizes = {axis.name: _draw(axis, stream, contract.least(axis), smallest[axis.name]) for axis in contract.dims}
    return Proposal({name: size or smallest[name] for name, size in sizes.items()}, frozenset(smallest))


def _alignment(contract: Contract, stream: CounterStream) -> Proposal | None:
    """One awkward size, long enough to matter; each other dimension is awkward in three of four tries."""
    long = [axis for axis in contract.dims if contract.most(axis) >= AWKWARD_STEPS * axis.multiple_of]
    if not long:
        return None
    first = stream.pick(_innermost(contract, long) or long)
    size = _awkward_size(contract, stream, first, AWKWARD_STEPS)
    others = [axis for axis in contract.dims if axis is not first and stream.below(4)]
    pins = {axis.name: _awkward_size(contract, stream, axis, AWKWARD_LEAST) for axis in others}
    if size is None:
        return None
    return _proposal(contract, stream, {first.name: size, **{name: size for name, size in pins.items() if size}})


def _asymmetric(contract: Contract, stream: CounterStream) -> Proposal | None:
    """One long and one short dimension, drawn as a pair, since not every dimension can be both."""
    long = [axis for axis in contract.dims if contract.most(axis) >= ASPECT * contract.median(axis)]
    short = [axis for axis in contract.dims if contract.median(axis) // ASPECT >= contract.least(axis)]
    pairs = [(one, other) for one in long for other in short if one is not other]
    if not pairs:
        return None
    one, other = stream.pick(pairs)
    start = ASPECT * contract.median(one)
    size = _draw(one, stream, start, min(contract.most(one), STRETCH * start))
    less = _draw(other, stream, contract.least(other), contract.median(other) // ASPECT)
    return _proposal(contract, stream, {one.name: size, other.name: less}) if size and less else None


def _production(contract: Contract, stream: CounterStream) -> Proposal | None:
    """One served size; of the others, three of four are served where possible. None starts below the smallest seen."""
    usual = {axis.name: _reachable(contract, axis, usual_sizes(axis.name)) for axis in contract.dims}
    served = {axis.name: _reachable(contract, axis, served_sizes(axis.name)) for axis in contract.dims}
    large = [axis for axis in contract.dims if served[axis.name] and served[axis.name][-1] >= contract.median(axis)]
    if not large or not all(usual.values()):
        return None
    first = stream.pick(_innermost(contract, large) or large)
    pin = stream.pick([size for size in served[first.name] if size >= contract.median(first)])
    sizes = {name: stream.pick(served[name] if served[name] and stream.below(4) else usual[name]) for name in usual}
    return Proposal({**sizes, first.name: pin}, frozenset((first.name,)), usual=True)


_PROPOSERS: dict[ConfigCategory, Callable[[Contract, CounterStream], Proposal | None]] = {
    "edge": _edge,
    "scale_up": _scale_up,
    "scale_down": _scale_down,
    "alignment": _alignment,
    "asymmetric": _asymmetric,
    "production": _production,
}


def _proposal(contract: Contract, stream: CounterStream, pins: Sizes) -> Proposal:
    return Proposal({**contract.sizes(stream.pick(contract.seen)), **pins}, frozenset(pins))


def _one_of(contract: Contract, stream: CounterStream, room: list[tuple[Axis, int, int]]) -> Proposal | None:
    """A proposal that draws one of the dimensions with room between its two ends."""
    possible = [(axis, low, high) for axis, low, high in room if _steps(axis, low, high)]
    if not possible:
        return None
    axis, low, high = stream.pick(possible)
    size = _draw(axis, stream, low, high)
    return _proposal(contract, stream, {axis.name: size}) if size is not None else None


def _steps(axis: Axis, low: int, high: int) -> range:
    """The numbers of steps (of `multiple_of`) from low to high."""
    return range(-(-low // axis.multiple_of), high // axis.multiple_of + 1)


def _draw(axis: Axis, stream: CounterStream, low: int, high: int) -> int | None:
    steps = _steps(axis, low, high)
    return stream.pick(steps) * axis.multiple_of if steps else None


def _awkward_size(contract: Contract, stream: CounterStream, axis: Axis, least_steps: int) -> int | None:
    """The first awkward, unseen size above a point drawn between half the median and the largest seen value."""
    seen, step = contract.values(axis), axis.multiple_of
    low = max(contract.median(axis) // 2, least_steps * step, axis.low)
    start = _draw(axis, stream, low, max(seen[-1], low + step))
    sizes = range(start or low, contract.most(axis) + 1, step)
    return next((size for size in sizes if size not in seen and awkward(size, axis)), None)


def _reachable(contract: Contract, axis: Axis, sizes: tuple[int, ...]) -> list[int]:
    low, high = contract.values(axis)[0], contract.most(axis)
    return [size for size in sizes if low <= size <= high and size % axis.multiple_of == 0]


def _innermost(contract: Contract, axes: list[Axis]) -> list[Axis]:
    """The axes that the last dimension of an input or output depends on."""
    shapes = [item.shape for item in contract.task.inputs] + [output.shape for output in contract.task.outputs]
    names = {name for shape in shapes for name in (shape[-1].names if shape else ())}
    return [axis for axis in axes if axis.name in names]


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % factor for factor in range(2, int(number**0.5) + 1))
