"""Run one launch, program by program, on the CPU."""

from __future__ import annotations

import functools
import math
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime.interpreter import TensorHandle
from triton.runtime.jit import TensorWrapper, mangle_type
from triton.tools.tensor_descriptor import TensorDescriptor

from evaluator.inside.triton_cpu import rewrite
from evaluator.inside.triton_cpu.bounds import Bounds
from evaluator.inside.triton_cpu.builder import builder, semantic
from evaluator.inside.triton_cpu.dtypes import array_of
from evaluator.inside.triton_cpu.errors import DeviceAssertFailed, OutOfBounds
from evaluator.inside.triton_cpu.language import interpreted, meaning_of, names_for
from evaluator.inside.triton_cpu.written import Written

Type = Any  # Triton's name of an argument's type ("*fp32", "i32", "constexpr"), or a tuple of those


@dataclass(frozen=True, slots=True)
class KernelCall:
    """A JIT function with bound arguments, and the types that the launch is specialised on."""

    function: Any
    arguments: Mapping[str, Any]
    types: Sequence[Type]


class Interpretation:
    """A running launch. Nested JIT functions find it through `current`."""

    current: Interpretation | None = None

    def __init__(self) -> None:
        self._bodies: dict[int, Callable[..., Any]] = {}

    def body(self, function: Any) -> Callable[..., Any]:
        """Return the rewritten function; its global names are resolved once per launch."""
        if id(function) not in self._bodies:
            names = names_for(function.get_capture_scope())
            self._bodies[id(function)] = rewrite.bind_body(_code(function), function, names, meaning_of)
        return self._bodies[id(function)]


def interpret(
    call: KernelCall, grid: Sequence[int], orders: np.random.Generator | None = None, written: Written | None = None
) -> None:
    """Run all programs one by one, in an order drawn from `orders`, else in their natural order; note their stores.

    Raises OutOfBounds or DeviceAssertFailed with the kernel's line.
    """
    interpretation = Interpretation()
    Interpretation.current = interpretation
    builder.bounds = Bounds(_tensors(call.arguments.values()))
    builder.written = written or Written()
    try:
        with interpreted(), np.errstate(all="ignore"):
            body = interpretation.body(call.function)
            arguments = {
                name: _argument(value, dtype)
                for (name, value), dtype in zip(call.arguments.items(), call.types, strict=True)
            }
            _run_programs(body, arguments, grid, orders)
    except (OutOfBounds, DeviceAssertFailed) as error:
        raise type(error)(f"{error}, {_place(error, call)}") from None
    finally:
        builder.written.settle()
        Interpretation.current = None


def _run_programs(
    body: Callable[..., Any], arguments: Mapping[str, Any], grid: Sequence[int], orders: np.random.Generator | None
) -> None:
    counts = [*(max(0, int(count)) for count in grid), 1, 1][:3]
    builder.set_grid_dim(*counts)
    programs = math.prod(counts)
    builder.written.launches += programs > 0
    for number in range(programs) if orders is None else orders.permutation(programs):
        builder.set_grid_idx(*map(int, np.unravel_index(number, counts)))
        body(**arguments)


_CODE: dict[int, tuple[Any, Any]] = {}


def _code(function: Any) -> Any:
    """Return the rewritten code, cached by identity, since a JIT function's hash reads all its sources."""
    if id(function) not in _CODE:
        _CODE[id(function)] = function, rewrite.compile_body(function)
    return _CODE[id(function)][1]


def _argument(value: Any, dtype: Type) -> Any:
    """Convert an argument as for a compiled kernel: pointers and numbers become scalar tensors, constants stay."""
    if isinstance(value, tl.constexpr):
        return value.value
    if dtype == "constexpr":
        return value
    if isinstance(dtype, tuple):
        return tuple(_argument(*pair) for pair in zip(value, dtype, strict=True))
    if isinstance(value, TensorDescriptor):
        return _descriptor(value)
    scalar = _scalar_type(dtype)
    data = np.array([value.data_ptr()], np.uint64) if scalar.is_ptr() else array_of([value], scalar)
    return tl.tensor(TensorHandle(data, scalar), scalar)


@functools.cache
def _scalar_type(text: str) -> Any:
    return tl.str_to_ty(text, None)


def _descriptor(value: TensorDescriptor) -> Any:
    base = _argument(value.base, mangle_type(value.base))
    *outer, _ = value.strides
    return semantic.make_tensor_descriptor(
        base,
        [semantic.to_tensor(size) for size in value.shape],
        [*(semantic.to_tensor(stride) for stride in outer), tl.constexpr(1)],
        [tl.constexpr(size) for size in value.block_shape],
        padding_option=value.padding,
    )


def _tensors(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _tensors(value)
        elif isinstance(value, (TensorWrapper, TensorDescriptor)):
            yield from _tensors([value.base])
        elif isinstance(value, torch.Tensor):
            yield value


def _place(error: BaseException, call: KernelCall) -> str:
    """Return kernel and line where the error was raised, for messages."""
    file = call.function.fn.__code__.co_filename
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"kernel {call.function.__name__}, line {lines[-1] if lines else '?'}"
