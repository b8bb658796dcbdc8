"""Bounds for unseen cases, from a task's contract and the seen cases of one profile."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from evaluator.tasks.expressions import Expression, ExpressionError
from evaluator.tasks.spec import ITEMSIZE, Axis, AxisValue, Case, Profile, TaskSpec

Sizes = dict[str, int]  # a value for each dimension
Rest = tuple[tuple[str, AxisValue], ...]  # a value for each other axis: dtype, layout, flags
REACH = 4  # times the largest seen value of a dimension, the limit of an unseen case
COST_REACH = 2  # times the most that a seen case of the profile costs, in memory, bytes moved and operations
MEMORY_BYTES = 2 << 30  # of a case's inputs and outputs, whatever the seen cases have


@dataclass(frozen=True, slots=True)
class Contract:
    """A task's axes and its seen cases of one profile; `rests` are all combinations of axes that are no dimensions."""

    task: TaskSpec
    profile: Profile
    seen: tuple[Case, ...]
    dims: tuple[Axis, ...]
    rests: tuple[Rest, ...]
    couplings: tuple[Expression, ...]
    budget: tuple[float, ...]  # what a case may cost at most
    taken: frozenset[tuple[int, ...]]  # the dimensions of every seen case, of both profiles

    def values(self, axis: Axis) -> list[int]:
        """The values of an axis in the seen cases of the profile, sorted."""
        return sorted(int(case.value(axis.name)) for case in self.seen)

    def median(self, axis: Axis) -> int:
        return statistics.median_low(self.values(axis))

    def least(self, axis: Axis) -> int:
        return -(-axis.low // axis.multiple_of) * axis.multiple_of

    def most(self, axis: Axis) -> int:
        """The largest value of an axis that an unseen case may have."""
        high = min(axis.high, REACH * self.values(axis)[-1])
        return high // axis.multiple_of * axis.multiple_of

    def sizes(self, case: Case) -> Sizes:
        return {axis.name: int(case.value(axis.name)) for axis in self.dims}

    def rest(self, case: Case) -> Rest:
        names = {axis.name for axis in self.dims}
        return tuple((name, value) for name, value in case.axes if name not in names)

    def case(self, sizes: Sizes, rest: Rest) -> Case:
        values: Mapping[str, AxisValue] = {**sizes, **dict(rest)}
        return Case(tuple((axis.name, values[axis.name]) for axis in self.task.axes), self.profile)

    def nearest(self, case: Case) -> Case:
        """The seen case with the closest dimensions by the product of their ratios; the first one on a tie."""
        return min(self.seen, key=lambda other: _distance(self.sizes(case), self.sizes(other)))

    def broken(self, case: Case) -> frozenset[str] | None:
        """The axes in the first coupling or limit that a case breaks; None if it breaks none."""
        for coupling in self.couplings:
            if not _holds(coupling, case):
                return coupling.names
        within = all(cost <= most for cost, most in zip(cost_of(self.task, case), self.budget, strict=True))
        return None if within else frozenset(axis.name for axis in self.dims)


def contract_of(task: TaskSpec, profile: Profile) -> Contract:
    seen = task.cases_of((profile,))
    dims = tuple(axis for axis in task.axes if axis.kind == "dim")
    others = tuple(axis for axis in task.axes if axis.kind != "dim")
    costs = zip(*(cost_of(task, case) for case in seen), strict=True)
    memory, *work = [COST_REACH * max(column) for column in costs] or [0.0]
    return Contract(
        task=task,
        profile=profile,
        seen=seen,
        dims=dims,
        rests=tuple(_rests(others)),
        couplings=tuple(coupling for axis in task.axes for coupling in axis.couplings),
        budget=(min(memory, MEMORY_BYTES), *work),
        taken=frozenset(tuple(int(case.value(axis.name)) for axis in dims) for case in task.cases),
    )


def changes(contract: Contract, case: Case) -> tuple[Case, tuple[tuple[str, AxisValue, AxisValue], ...]]:
    """The nearest seen case, and each axis that differs: its name, the value there and the value here."""
    nearest = contract.nearest(case)
    pairs = ((name, nearest.value(name), value) for name, value in case.axes)
    return nearest, tuple((name, before, value) for name, before, value in pairs if before != value)


def cost_of(task: TaskSpec, case: Case) -> tuple[float, ...]:
    """Bytes in memory, bytes that the ideal algorithm moves, and its operations."""
    return (memory_bytes(task, case), *task.work_of(case))


def memory_bytes(task: TaskSpec, case: Case) -> int:
    """The bytes of all given inputs and all outputs of a case."""
    given = [item for item in task.inputs if not item.is_number and (item.when is None or case.value(item.when))]
    shapes = [(item.shape, item.dtype) for item in given] + [(output.shape, output.dtype) for output in task.outputs]
    return sum(_bytes_of(task, case, shape, dtype) for shape, dtype in shapes)


def _bytes_of(task: TaskSpec, case: Case, shape: tuple[Expression, ...], dtype: str) -> int:
    return math.prod((int(extent.value(case.numbers)) for extent in shape), start=ITEMSIZE[task.dtype_of(dtype, case)])


def _rests(others: tuple[Axis, ...]) -> Iterable[Rest]:
    """Every combination of dtype, layout and flags; a single empty one if there are no such axes."""
    for values in itertools.product(*(axis.values for axis in others)):
        yield tuple((axis.name, value) for axis, value in zip(others, values, strict=True))


def _holds(coupling: Expression, case: Case) -> bool:
    try:
        return coupling.holds(case.numbers)
    except ExpressionError:
        return False


def _distance(sizes: Sizes, others: Sizes) -> Fraction:
    """The product of the ratios, exact, since logarithms may round differently on other machines."""
    product = Fraction(1)
    for name, value in sizes.items():
        product *= Fraction(max(value, others[name], 1), max(min(value, others[name]), 1))
    return product
