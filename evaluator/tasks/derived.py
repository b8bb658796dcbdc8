"""The part of config.yaml about derived inputs: values that depend on each other, which the task's inputs.py makes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from evaluator.tasks.expressions import ExpressionError
from evaluator.tasks.fields import Fields
from evaluator.tasks.spec import ITEMSIZE, Axis, Case, Input, Renewal, TaskSpec
from evaluator.thresholds import POOL_BYTES, POOL_SETS

FILE = "inputs.py"
KEYS = ("order", "scale", "relabel", "offsets", "segments")
SCALED = ("float32", "float64")
IDS = ("int16", "int32", "int64")  # of ids and offsets
TAKEN = ("standard", "outlier")
FEW, FEW_BITS = 16, 32  # of an axis of up to 16 elements, four Feistel rounds of two bits a side make 2 ** 32 orders
LEAST_BITS = 40  # of all new orders of a full case: among a session's 500 calls two are alike once in 10⁷ sessions


def read_renewal(value: Fields, axes: Mapping[str, Axis]) -> Renewal:
    """The value of an input's key `derived`: how it is renewed, or true where it stays as it was made."""
    if value.raw["derived"] is True:
        return Renewal()
    found = value.mapping("derived")
    found.only(KEYS)
    dims = tuple(name for name, axis in axes.items() if axis.kind == "dim")

    def axis(key: str) -> str | None:
        return str(found.choice(key, dims)) if key in found else None

    def by_dimension(key: str) -> tuple[str | None, ...]:
        names: list[str | None] = found.sequence(key) if key in found else []
        for index, name in enumerate(names):
            if name is not None and name not in dims:
                found.problem(f"{key}.{index}", name, f"null or one of {', '.join(dims)}")
        return tuple(names)

    segments = found.string("segments", None) if "segments" in found else None
    return Renewal(by_dimension("order"), by_dimension("scale"), axis("relabel"), axis("offsets"), segments)


def check(spec: TaskSpec, arena: Fields, files: Iterable[str]) -> None:
    """Report what does not fit together: the file, names of special sets, renewals of inputs, sizes of sets."""
    made = spec.derived
    for index, name in enumerate(spec.special_sets):
        if not made or name in (*TAKEN, *spec.special_sets[:index]):
            arena.problem(f"special_sets.{index}", name, f"another name for a draw of {FILE} than {', '.join(TAKEN)}")
    if not made:
        return
    if FILE not in files:
        arena.problem("inputs", "no file", f"{FILE}, which makes {', '.join(item.name for item in made)}")
    if all(item.derived == Renewal() for item in made):
        arena.problem("inputs", True, f"a derived input with one of {', '.join(KEYS)}: timed calls need new contents")
    for item in made:
        _check_renewal(spec, item, arena)
    for case in spec.cases:
        _check_sizes(spec, case, arena)


def pool_sets(task: TaskSpec, case: Case) -> int:
    """How many sets a timed session of the case has."""
    return min(POOL_SETS, max(1, POOL_BYTES // max(1, _set_bytes(task, case)))) if task.derived else 0


def _check_renewal(spec: TaskSpec, item: Input, arena: Fields) -> None:
    renewal, where = item.derived, f"inputs.{item.name}.derived"
    assert renewal is not None
    dtypes = {spec.dtype_of(item.dtype, case) for case in spec.cases}
    if (renewal.relabel or renewal.offsets) and not dtypes <= {*IDS}:
        arena.problem(f"inputs.{item.name}.dtype", sorted(dtypes), f"one of {', '.join(IDS)}, for ids and offsets")
    if renewal.scale and not dtypes <= {*SCALED}:
        arena.problem(f"inputs.{item.name}.dtype", sorted(dtypes), f"{' or '.join(SCALED)}, which are scaled")
    if len(list(filter(None, renewal.scale))) > 2:
        arena.problem(f"{where}.scale", list(renewal.scale), "at most two axes, whose factors' product is exact")
    for key, names in (("order", renewal.order), ("scale", renewal.scale)):
        if names and len(names) != len(item.shape):
            arena.problem(f"{where}.{key}", list(names), f"{len(item.shape)} entries, one for each dimension")
    if renewal.offsets and renewal != Renewal(offsets=renewal.offsets):
        seen = [key for key in KEYS if getattr(renewal, key)]
        arena.problem(where, seen, "offsets alone: they say how all of the input changes")
    owners = [other for other in spec.derived if other.derived and other.derived.offsets]
    if renewal.segments and renewal.segments not in [owner.name for owner in owners if owner.when in (None, item.when)]:
        wanted = "the name of an input with offsets, given wherever this one is: without `when` or with the same"
        arena.problem(f"{where}.segments", renewal.segments, wanted)
    if renewal.segments and renewal.order and renewal.order[0]:
        arena.problem(f"{where}.order.0", renewal.order[0], "null: segments already says where these elements go")
    _check_shapes(spec, item, renewal, arena)


def _check_shapes(spec: TaskSpec, item: Input, renewal: Renewal, arena: Fields) -> None:
    where = f"inputs.{item.name}.derived"
    for case in spec.cases:
        shape, numbers = _shape(item, case), case.numbers
        for key, names in (("order", renewal.order), ("scale", renewal.scale)):
            for extent, name in zip(shape, names, strict=False):
                if name in numbers and extent != numbers[name]:
                    wanted = f"a dimension of {numbers[name]}, as {name}"
                    arena.problem(f"{where}.{key}", f"{extent} for {case.id}", wanted)
        if renewal.offsets in numbers and shape != [count := numbers[renewal.offsets] + 1]:
            arena.problem(f"{where}.offsets", f"shape {shape} for {case.id}", f"[{count}], one more than the axis")


def _check_sizes(spec: TaskSpec, case: Case, arena: Fields) -> None:
    """Report sets that are too large for timed calls, and full cases whose contents would come again in one of them."""
    if (size := _set_bytes(spec, case)) > POOL_BYTES:
        arena.problem("cases", f"{size} bytes of derived inputs for {case.id}", f"at most {POOL_BYTES}")
    names = {name for item in spec.derived if item.derived for name in item.derived.axes if name in case.numbers}
    bits = sum(_bits_of_orders(case.numbers[name]) for name in names)
    if case.profile == "full" and bits < LEAST_BITS:
        arena.problem("cases", f"2 ** {bits:.0f} orders for {case.id}", f"2 ** {LEAST_BITS} or more, by larger axes")


def _bits_of_orders(count: float) -> float:
    bits = math.lgamma(count + 1) / math.log(2)
    return min(bits, FEW_BITS) if count <= FEW else bits


def _set_bytes(task: TaskSpec, case: Case) -> int:
    given = [item for item in task.derived if item.when is None or case.value(item.when)]
    return sum(math.prod(_shape(item, case)) * ITEMSIZE.get(task.dtype_of(item.dtype, case), 1) for item in given)


def _shape(item: Input, case: Case) -> list[int]:
    """The input's shape; empty where an expression has no value, which the reader reports."""
    try:
        return [int(extent.value(case.numbers)) for extent in item.shape]
    except ExpressionError:
        return []
