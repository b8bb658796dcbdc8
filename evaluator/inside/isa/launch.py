"""One launch of a JIT function: its specialisation, its name in reports, and its compilation."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction, compute_cache_key

from evaluator.inside.isa.driver import DriverOf, TargetDriver
from evaluator.inside.isa.targets import Target

MAX_VALUE = 40  # characters of a constant's text
FIGURES = ("num_warps", "num_stages")  # reported as numbers
DIVISIBLE = "D"  # Triton's mark of a multiple of 16
TRITONS_RUN = JITFunction.run  # before anything replaces it
UNKNOWN_BYTES = 1 << 62  # for wrapped tensors, whose size Triton does not check
Type = Any  # Triton's text for an argument's type ("*fp32", "i32", "constexpr"), or a tuple of those


@dataclass(frozen=True, slots=True)
class Launch:
    """A bound launch. `named`: all parameters with their values; `types`, `marks`: what each is specialised on.

    `key` differs between specialisations.
    """

    function: Any
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]
    named: Mapping[str, Any]
    types: Sequence[Type]
    marks: Sequence[object]
    key: str

    @property
    def identity(self) -> tuple[int, str]:
        """A key that two launches of one specialisation share, while the function is alive."""
        return id(self.function), self.key

    @property
    def kernel(self) -> str:
        return str(self.function.__name__)

    @property
    def configuration(self) -> str:
        """Element types, constants, divisibility and options, as "fp16, BLOCK=1024, n%16=0, waves_per_eu=2"."""
        return ", ".join([*dict.fromkeys(self._elements()), *self._constants(), *self._sizes(), *self._given()])

    def without_memory(self) -> Launch:
        """Return an equivalent launch for compilation that keeps no tensor alive."""
        return dataclasses.replace(
            self,
            arguments=tuple(map(_without_memory, self.arguments)),
            options={name: _without_memory(value) for name, value in self.options.items()},
            named={name: _without_memory(value) for name, value in self.named.items()},
        )

    def compiled_for(self, target: Target) -> Any:
        """Return Triton's compiled kernel. Only in a child process, since it replaces the process's driver."""
        return self.compiled_by(TargetDriver(target))

    def compiled_by(self, active: DriverOf) -> Any:
        """Return the kernel as compiled for a driver's target. Only in a child process, too."""
        driver.set_active(active)
        self.function.device_caches.clear()  # made with the driver before
        self.function.pre_run_hooks = []
        return TRITONS_RUN(self.function, *self.arguments, grid=None, warmup=True, **self.options)

    def _elements(self) -> Iterator[str]:
        return (type.lstrip("*") for type in self.types if isinstance(type, str) and type.startswith("*"))

    def _constants(self) -> Iterator[str]:
        for (name, value), type in zip(self.named.items(), self.types, strict=True):
            if type == "constexpr":
                yield f"{name}={_text(value)}"

    def _sizes(self) -> Iterator[str]:
        """Yield integers that are multiples of 16, and pointers that are not."""
        for name, type, mark in zip(self.named, self.types, self.marks, strict=True):
            divisible = isinstance(mark, str) and DIVISIBLE in mark
            if type in ("i32", "i64") and divisible:
                yield f"{name}%16=0"
            elif isinstance(type, str) and type.startswith("*") and not divisible:
                yield f"{name}%16≠0"

    def _given(self) -> Iterator[str]:
        others = (name for name in self.options if name not in self.named and name not in FIGURES)
        return (f"{name}={_text(self.options[name])}" for name in others)


@dataclass(frozen=True, slots=True)
class Pointer:
    """The interface of a tensor that Triton's specialisation uses."""

    dtype: Any
    address: int
    size_bytes: int

    def data_ptr(self) -> int:
        return self.address

    def ptr_range(self) -> int:
        """The size in bytes, for AMD's compiler: whether 32-bit offsets suffice."""
        return self.size_bytes


def bind(function: Any, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> Launch:
    """Bind a launch: Triton's own binder gives the types, alignments and constants it is specialised on."""
    _, keys, *_, binder = function.device_caches[driver.active.get_current_device()]
    named, specialization, rest = binder(*arguments, **options)
    key = compute_cache_key(keys, specialization, rest)
    types, marks = [type for type, _ in specialization], [mark for _, mark in specialization]
    return Launch(function, arguments, options, named, types, marks, key)


def _without_memory(value: Any) -> Any:
    """Replace tensors by Pointers, also in tuples and tensor descriptors."""
    if hasattr(value, "data_ptr"):
        size_bytes = value.untyped_storage().size() if isinstance(value, torch.Tensor) else UNKNOWN_BYTES
        return Pointer(value.dtype, value.data_ptr(), size_bytes)
    if dataclasses.is_dataclass(value) and hasattr(value, "base"):
        return dataclasses.replace(value, base=_without_memory(value.base))  # type: ignore[type-var]
    if isinstance(value, tuple):
        return getattr(type(value), "_make", tuple)(map(_without_memory, value))
    return value


def _text(value: object) -> str:
    text = getattr(value, "__name__", None) or str(value)
    return str(text)[:MAX_VALUE]
