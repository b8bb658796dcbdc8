"""Functions that rewritten kernel code calls (rewrite.py): assignment, logic, truth and loops as in the compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import triton.language as tl
from triton.runtime.interpreter import TensorHandle

from evaluator.inside.triton_cpu.builder import semantic
from evaluator.inside.triton_cpu.dtypes import array_of

Value = Any  # a tensor, or a Python value where the compiler has a constexpr


class BlockTruth(TypeError):
    """A condition is a block; only a scalar can decide a branch."""


def assigned(value: Value) -> Value:
    """Return an assigned value: numbers become tensors, also inside tuples; other values stay."""
    if isinstance(value, tl.tensor):
        return value
    if isinstance(value, tl.constexpr):
        value = value.value
    if isinstance(value, (bool, int, float)):
        return semantic.to_tensor(value)
    if type(value) is tuple:
        return tuple(assigned(one) for one in value)
    return value


def truth(value: Value) -> bool:
    """Return the truth of a scalar or of a Python value; raise BlockTruth for a block."""
    if isinstance(value, tl.tensor):
        if value.type.is_block():
            raise BlockTruth("a block of several lanes has no truth value")
        return bool(value.handle.data.item())
    return bool(value)


def conjunction(*operands: Callable[[], Value]) -> Value:
    """Evaluate `and`: as Python for Python values, lane by lane for tensors, with all operands evaluated."""
    return _logical(operands, decisive=False)


def disjunction(*operands: Callable[[], Value]) -> Value:
    """Evaluate `or`: as Python for Python values, lane by lane for tensors, with all operands evaluated."""
    return _logical(operands, decisive=True)


def _logical(operands: tuple[Callable[[], Value], ...], decisive: bool) -> Value:
    tensors, value = [], None
    for operand in operands:
        value = operand()
        if isinstance(value, tl.tensor):
            tensors.append(value)
        elif bool(value) is decisive:
            return value
    if not tensors:
        return value
    join = semantic.logical_or if decisive else semantic.logical_and
    result = tensors.pop()
    while tensors:
        result = join(tensors.pop(), result)
    return result


def negation(value: Value) -> Value:
    return semantic.not_(value) if isinstance(value, tl.tensor) else not value


def device_assert(condition: Value, message: Value) -> None:
    semantic.device_assert(semantic.to_tensor(condition), str(message), None)


def loop_range(first: Value, last: Value = None, step: Value = None, **hints: object) -> Iterator[Value]:
    """Replace `range` and `tl.range`: yield scalar tensors of the bounds' common integer type."""
    bounds = [semantic.to_tensor(bound) for bound in _bounds(first, last, step)]
    dtype = bounds[0].dtype
    for bound in bounds[1:]:
        dtype = semantic.integer_promote_impl(dtype, bound.dtype)
    for number in range(*(int(bound.handle.data.item()) for bound in bounds)):
        yield tl.tensor(TensorHandle(array_of([number], dtype), dtype), dtype)


def static_range(first: Value, last: Value = None, step: Value = None) -> range:
    """Replace `tl.static_range`, whose variable is a Python number, as the compiler unrolls it."""
    return range(*(int(bound) for bound in _bounds(first, last, step)))


def _bounds(first: Value, last: Value, step: Value) -> tuple[Value, Value, Value]:
    start, end = (0, first) if last is None else (first, last)
    return start, end, 1 if step is None else step
