"""A row of the table with what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evaluator.tasks.fields import Fields
from scripts.families.layout import flow
from scripts.families.pointwise.table import FLOATS, PLACES

SIXTEEN_BITS = ("float16", "bfloat16")


@dataclass(frozen=True, slots=True)
class Argument:
    """An input of `forward`: a tensor, a number, or a flag."""

    name: str
    given: Mapping[str, Any]  # what the row says of it
    is_flag: bool

    @property
    def is_tensor(self) -> bool:
        return "scalar" not in self.given

    @property
    def is_drawn(self) -> bool:
        """Whether each call gets another number."""
        return isinstance(self.given.get("scalar"), Mapping)

    @property
    def annotated(self) -> str:
        return f"{self.name}: {'torch.Tensor' if self.is_tensor else 'int' if self.is_flag else 'float'}"

    @property
    def place(self) -> str:
        """Where an element of the output finds its element of this input."""
        return PLACES.get(flow(self.given.get("shape", "")), "offsets")


@dataclass(frozen=True)
class Operator:
    """One operator: its row, and the name, category and inputs that the files are made of."""

    name: str
    category: str
    row: Fields

    def text(self, key: str) -> str:
        return str(self.row.raw[key])

    def part(self, key: str) -> Mapping[str, Any]:
        return dict(self.row.raw[key])

    @cached_property
    def dtypes(self) -> tuple[str, ...]:
        return self.row.strings("dtypes", FLOATS)

    @property
    def dtype(self) -> str:
        """What inputs and outputs name: the axis, or the one dtype there is."""
        return "dtype" if len(self.dtypes) > 1 else self.dtypes[0]

    @property
    def has_sixteen_bits(self) -> bool:
        return any(dtype in SIXTEEN_BITS for dtype in self.dtypes)

    @property
    def layouts(self) -> tuple[str, ...]:
        return self.row.strings("layouts", ())

    @property
    def flags(self) -> tuple[str, ...]:
        return self.row.strings("flags", ())

    @cached_property
    def arguments(self) -> list[Argument]:
        return [Argument(name, given, given.get("scalar") in self.flags) for name, given in self.part("inputs").items()]

    @property
    def tensors(self) -> list[Argument]:
        return [item for item in self.arguments if item.is_tensor]

    @property
    def outputs(self) -> Mapping[str, Mapping[str, Any]]:
        return self.part("outputs")

    @property
    def signature(self) -> str:
        """The first line of `forward`."""
        one, count = "torch.Tensor", len(self.outputs)
        returned = one if count == 1 else f"tuple[{', '.join([one] * count)}]"
        return f"def forward({', '.join(item.annotated for item in self.arguments)}) -> {returned}:"
