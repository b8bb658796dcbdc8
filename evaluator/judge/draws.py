"""Contents of inputs. The seed stays in this process; a draw reveals nothing about its seed or other draws."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch

from evaluator.judge.derived import DerivedSet, drawn_set
from evaluator.judge.renewal import renewed
from evaluator.tasks.spec import Case, Input, TaskSpec

Contents = dict[str, torch.Tensor | int | float | None]
DRAWS_PER_KIND = 3
DRAWS_PER_KIND_ATOMIC = 12
OUTLIER_SHARE, OUTLIER_SCALE = 0.001, 20.0  # at least one element per tensor


@dataclass(frozen=True, slots=True)
class Draw:
    """One set of contents for a case: standard, outlier, or one of the task's named special alphabets and sets."""

    kind: str  # standard, outlier, special
    name: str  # the alphabet's or set's name for special ones, else the kind
    index: int


@dataclass(frozen=True, slots=True)
class Seed:
    """The judge's secret of one evaluation. Only its hash may leave."""

    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def number(self, *words: object) -> int:
        """Return 63 bits derived from the secret and these words."""
        digest = hashlib.blake2b("\0".join(map(str, words)).encode(), key=self.secret, digest_size=8).digest()
        return int.from_bytes(digest, "big") >> 1

    def generator(self, *words: object, device: str = "cpu") -> torch.Generator:
        return torch.Generator(device).manual_seed(self.number(*words))


def draws_of(task: TaskSpec) -> tuple[Draw, ...]:
    """Return three draws of each kind, twelve for tasks marked atomic; every special alphabet and set at least once."""
    count = DRAWS_PER_KIND_ATOMIC if task.atomic else DRAWS_PER_KIND
    alphabets = (name for item in task.inputs for name, _ in item.special)
    names = list(dict.fromkeys([*alphabets, *task.special_sets]))
    special = [names[index % len(names)] for index in range(max(count, len(names)))] if names else []
    return (
        *(Draw("standard", "standard", index) for index in range(count)),
        *(Draw("outlier", "outlier", index) for index in range(count)),
        *(Draw("special", name, index) for index, name in enumerate(special)),
    )


def first_draws(task: TaskSpec) -> tuple[Draw, ...]:
    """Return the first draw of each name, for a quick check; the standard one is first."""
    found: dict[str, Draw] = {}
    for draw in draws_of(task):
        found.setdefault(draw.name, draw)
    return tuple(found.values())


def contents_of(task: TaskSpec, case: Case, draw: Draw, seed: Seed, device: str = "cpu") -> Contents:
    """Draw the contents of every input of the case, on the given device.

    Returns:
        name → contiguous tensor of the input's shape and dtype, a Python number for scalars, None for absent inputs;
        in the task's order.
    """
    made = derived_set(task, case, draw, seed, device) if task.derived else {}
    return {
        item.name: made.get(item.name) if item.derived else _input(item, task, case, draw, seed, device)
        for item in task.inputs
    }


def derived_set(task: TaskSpec, case: Case, draw: Draw, seed: Seed, device: str = "cpu") -> DerivedSet:
    """Draw the derived inputs of the case. Every second standard draw is renewed as before a timed call.

    So on a CPU, too, baseline and reference show whether the relations survive that.
    """
    made = set_before_renewal(task, case, draw, seed, device)
    word = seed.number(*_words(case, draw), "renewed")
    return renewed(task, case, made, word) if is_renewed(task, draw) else made


def set_before_renewal(task: TaskSpec, case: Case, draw: Draw, seed: Seed, device: str = "cpu") -> DerivedSet:
    return drawn_set(task, case, _set_of(task, draw), seed.generator(*_words(case, draw), device=device))


def is_renewed(task: TaskSpec, draw: Draw) -> bool:
    return bool(task.derived) and _set_of(task, draw) == "standard" and draw.index % 2 == 1


def _set_of(task: TaskSpec, draw: Draw) -> str:
    return draw.name if draw.kind != "special" or draw.name in task.special_sets else "standard"


def _words(case: Case, draw: Draw) -> tuple[object, ...]:
    return case.id, draw.kind, draw.name, draw.index, "derived"


def slab_of(
    item: Input, task: TaskSpec, case: Case, spare: int, seed: Seed, *words: object, device: str = "cpu"
) -> torch.Tensor | int | float | None:
    """Draw a one-dimensional slab, `spare` elements larger than the input: every window of the input's size is a draw.

    The slab of a permutation repeats it, so its windows hold no value twice either.
    """
    if item.drawn:
        numbers = _distributed(item, (1 + spare,), case.numbers, seed.generator(case.id, item.name, *words))
        return numbers.to(torch.int64 if item.scalar_kind == "int" else torch.float64)
    if item.scalar is not None or (item.when is not None and not case.value(item.when)):
        return _input(item, task, case, Draw("standard", "standard", 0), seed, device)
    generator, count = (
        seed.generator(case.id, item.name, *words, device=device),
        torch.Size(shape_of(item, case)).numel() + spare,
    )
    dtype = getattr(torch, task.dtype_of(item.dtype, case))
    if item.distribution[0] != "permutation":
        return _as(dtype, _distributed(item, (count,), case.numbers, generator))
    whole = torch.randperm(int(item.distribution[1][0].value(case.numbers)), generator=generator, device=device)
    return whole.repeat(-(-count // whole.numel()))[:count].to(dtype)


def shape_of(item: Input, case: Case) -> tuple[int, ...]:
    return tuple(int(extent.value(case.numbers)) for extent in item.shape)


def _input(
    item: Input, task: TaskSpec, case: Case, draw: Draw, seed: Seed, device: str
) -> torch.Tensor | int | float | None:
    if item.scalar is not None:
        value = item.scalar.value(case.numbers)
        return int(value) if item.scalar_kind == "int" else float(value)
    if item.drawn:
        return _number(item, case, draw, seed)
    if item.when is not None and not case.value(item.when):
        return None
    generator = seed.generator(case.id, draw.kind, draw.name, draw.index, item.name, device=device)
    shape, dtype = shape_of(item, case), getattr(torch, task.dtype_of(item.dtype, case))
    alphabet = dict(item.special).get(draw.name) if draw.kind == "special" else None
    if alphabet is not None:
        choice = torch.randint(len(alphabet), shape, generator=generator, device=device)
        return torch.tensor(alphabet, dtype=torch.float64, device=device)[choice].to(dtype)
    values = _distributed(item, shape, case.numbers, generator)
    if draw.kind == "outlier" and item.distribution[0] in ("normal", "uniform") and values.numel():
        values = _with_outliers(values, generator)
    return _as(dtype, values)


def _as(dtype: torch.dtype, values: torch.Tensor) -> torch.Tensor:
    """Convert to the dtype; beyond the range of an 8-bit float lies its largest number, not infinity or NaN."""
    if dtype.is_floating_point and dtype.itemsize == 1:
        values = values.clamp(-torch.finfo(dtype).max, torch.finfo(dtype).max)
    return values.to(dtype)


def _number(item: Input, case: Case, draw: Draw, seed: Seed) -> int | float:
    """Draw a number: one of the draw's special values if it has some; a float is one that float32 holds exactly."""
    generator = seed.generator(case.id, draw.kind, draw.name, draw.index, item.name)
    alphabet = dict(item.special).get(draw.name) if draw.kind == "special" else None
    if alphabet is None:
        value = _distributed(item, (), case.numbers, generator).item()
    else:
        value = alphabet[int(torch.randint(len(alphabet), (), generator=generator))]
    return int(value) if item.scalar_kind == "int" else float(value)


def _distributed(
    item: Input, shape: tuple[int, ...], axes: Mapping[str, int], generator: torch.Generator
) -> torch.Tensor:
    kind, expressions = item.distribution
    numbers = [expression.value(axes) for expression in expressions]
    match kind:
        case "normal":
            return torch.randn(shape, generator=generator, device=generator.device) * numbers[1] + numbers[0]
        case "uniform":
            return (
                torch.rand(shape, generator=generator, device=generator.device) * (numbers[1] - numbers[0]) + numbers[0]
            )
        case "integers":
            return torch.randint(int(numbers[0]), int(numbers[1]), shape, generator=generator, device=generator.device)
        case "bernoulli":
            return torch.rand(shape, generator=generator, device=generator.device) < numbers[0]
        case "permutation":
            count = torch.Size(shape).numel()
            return torch.randperm(int(numbers[0]), generator=generator, device=generator.device)[:count].reshape(shape)
    raise AssertionError(kind)


def _with_outliers(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    large = torch.rand(values.shape, generator=generator, device=generator.device) < OUTLIER_SHARE
    large.view(-1)[torch.randint(values.numel(), (1,), generator=generator, device=generator.device)] = True
    return torch.where(large, values * OUTLIER_SCALE, values)
