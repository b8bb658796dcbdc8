"""One launch of a JIT function: what it is specialised on, under which name it is reported, how it is compiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction, compute_cache_key

from evaluator.inside.isa.driver import TargetDriver
from evaluator.inside.isa.targets import Target

MAX_VALUE = 40  # characters of a constant's text
FIGURES = ("num_warps", "num_stages")  # reported as numbers
TRITONS_RUN = JITFunction.run  # before anything replaces it
Type = Any  # Triton's text for an argument's type ("*fp32", "i32", "constexpr"), or a tuple of those


@dataclass(frozen=True, slots=True)
class Launch:
    """`named` are all parameters with their values, `types` what each is specialised on, `key` what tells two apart."""

    function: Any
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]
    named: Mapping[str, Any]
    types: Sequence[Type]
    key: str

    @property
    def kernel(self) -> str:
        return str(self.function.__name__)

    @property
    def configuration(self) -> str:
        """Element types, constants and options: "fp16, BLOCK=1024, waves_per_eu=2"."""
        return ", ".join([*dict.fromkeys(self._elements()), *self._constants(), *self._given()])

    def compiled_for(self, target: Target) -> Any:
        """Triton's compiled kernel. In a child only: the process has no other driver afterwards."""
        driver.set_active(TargetDriver(target))
        self.function.device_caches.clear()  # made under the driver before
        self.function.pre_run_hooks = []
        return TRITONS_RUN(self.function, *self.arguments, grid=None, warmup=True, **self.options)

    def _elements(self) -> Iterator[str]:
        return (type.lstrip("*") for type in self.types if isinstance(type, str) and type.startswith("*"))

    def _constants(self) -> Iterator[str]:
        for (name, value), type in zip(self.named.items(), self.types, strict=True):
            if type == "constexpr":
                yield f"{name}={_text(value)}"

    def _given(self) -> Iterator[str]:
        others = (name for name in self.options if name not in self.named and name not in FIGURES)
        return (f"{name}={_text(self.options[name])}" for name in others)


def bind(function: Any, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> Launch:
    """Triton's own binder says which types, alignments and constants a launch is specialised on."""
    _, keys, *_, binder = function.device_caches[driver.active.get_current_device()]
    named, specialization, rest = binder(*arguments, **options)
    key = compute_cache_key(keys, specialization, rest)
    return Launch(function, arguments, options, named, [type for type, _ in specialization], key)


def _text(value: object) -> str:
    text = getattr(value, "__name__", None) or str(value)
    return str(text)[:MAX_VALUE]
