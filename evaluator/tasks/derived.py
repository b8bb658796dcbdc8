"""The part of config.yaml about derived inputs: values that depend on each other, which the task's inputs.py makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evaluator.tasks.fields import Fields
from evaluator.tasks.spec import Axis, Input, Renewal, TaskSpec

FILE = "inputs.py"
KEYS = ("order", "relabel", "offsets", "segments")
IDS = ("int16", "int32", "int64")  # of ids and offsets


def read_renewal(value: Fields, axes: Mapping[str, Axis]) -> Renewal:
    """The value of an input's key `derived`: how it is renewed, or true where it stays as it was made."""
    if value.raw["derived"] is True:
        return Renewal()
    found = value.mapping("derived")
    found.only(KEYS)
    dims = tuple(name for name, axis in axes.items() if axis.kind == "dim")

    def axis(key: str) -> str | None:
        return str(found.choice(key, dims)) if key in found else None

    order: list[str | None] = []
    for index, name in enumerate(found.sequence("order") if "order" in found else []):
        if name is not None and name not in dims:
            found.problem(f"order.{index}", name, f"null or one of {', '.join(dims)}")
        order.append(name)
    segments = found.string("segments", None) if "segments" in found else None
    return Renewal(tuple(order), axis("relabel"), axis("offsets"), segments)


def check(spec: TaskSpec, arena: Fields, files: Iterable[str]) -> None:
    """Report what does not fit together: the file, the names of special sets, and the renewals of the inputs."""
    made = spec.derived
    if made and FILE not in files:
        arena.problem("inputs", "no file", f"{FILE}, which makes {', '.join(item.name for item in made)}")
    if made and not any(item.derived != Renewal() for item in made):
        arena.problem("inputs", True, f"a derived input with one of {', '.join(KEYS)}: timed calls need new contents")
    if spec.special_sets and not made:
        arena.problem("special_sets", list(spec.special_sets), "nothing, since no input is derived")
    taken = ("standard", "outlier")
    for index, name in enumerate(spec.special_sets):
        if name in (*taken, *spec.special_sets[:index]):
            arena.problem(f"special_sets.{index}", name, f"a new name, and none of {', '.join(taken)}")
    for item in made:
        _check_renewal(spec, item, arena)


def _check_renewal(spec: TaskSpec, item: Input, arena: Fields) -> None:
    renewal, where = item.derived, f"inputs.{item.name}.derived"
    assert renewal is not None
    if renewal.order and len(renewal.order) != len(item.shape):
        arena.problem(f"{where}.order", list(renewal.order), f"{len(item.shape)} entries, one for each dimension")
    for case in spec.cases:
        wanted = [
            case.numbers[name] if name else None for name in renewal.order if name is None or name in case.numbers
        ]
        for extent, count in zip(item.shape, wanted, strict=False):
            if count is not None and extent.value(case.numbers) != count:
                arena.problem(f"{where}.order", f"{extent.text} for {case.id}", f"a dimension of {count} elements")
    if (renewal.relabel or renewal.offsets) and item.dtype not in IDS:
        arena.problem(f"inputs.{item.name}.dtype", item.dtype, f"one of {', '.join(IDS)}, for ids and offsets")
    if renewal.offsets:
        _check_offsets(spec, item, renewal, arena)
    if renewal.segments:
        owner = next((other.derived for other in spec.derived if other.name == renewal.segments), None)
        if owner is None or not owner.offsets:
            arena.problem(f"{where}.segments", renewal.segments, "the name of an input with offsets")
        if renewal.order and renewal.order[0]:
            arena.problem(f"{where}.order.0", renewal.order[0], "null: segments already says where these elements go")


def _check_offsets(spec: TaskSpec, item: Input, renewal: Renewal, arena: Fields) -> None:
    where = f"inputs.{item.name}.derived"
    if renewal.order or renewal.relabel or renewal.segments:
        arena.problem(where, "offsets and more", "offsets alone: they say how all of the input changes")
    for case in spec.cases:
        wanted = case.numbers.get(renewal.offsets or "", 0) + 1
        shape = [extent.value(case.numbers) for extent in item.shape]
        if shape != [wanted]:
            arena.problem(
                f"{where}.offsets", f"shape {shape} for {case.id}", f"shape [{wanted}], one more than its axis"
            )
