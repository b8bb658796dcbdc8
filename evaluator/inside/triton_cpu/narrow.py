"""Arithmetic on bf16 and fp8: each operation in float32, its result rounded once, as code for gfx942 does.

Triton's own interpreter (3.6 to 3.9) adds and multiplies bit patterns and truncates in conversions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import triton.language as tl
from triton.runtime.interpreter import TensorHandle

from evaluator.inside.triton_cpu.dtypes import is_narrow, narrow, widen
from evaluator.inside.triton_cpu.numerics import Numerics

ORDER = ("EQ", "NE", "LT", "LE", "GT", "GE")
COMPARISONS = tuple(f"create_fcmp{prefix}{order}" for prefix in "OU" for order in ORDER)
ARITHMETIC = tuple(
    f"create_{name}"
    for name in (
        "fneg",  # since 3.8
        *("fadd", "fsub", "fmul", "fdiv", "frem", "fma", "precise_divf"),
        *("minnumf", "maxnumf", "minimumf", "maximumf", "clampf"),
        *("exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "precise_sqrt", "rsqrt", "erf", "floor", "ceil"),
    )
)


class NarrowFloats(Numerics):
    """The part of the builder for bf16 and fp8; its methods are set below, one for each float operation."""


def _in_float32(inherited: Callable[..., Any], rounds: bool) -> Callable[..., Any]:
    def operation(self: Any, *operands: Any) -> Any:
        narrows = [handle.dtype for handle in operands if isinstance(handle, TensorHandle) and is_narrow(handle.dtype)]
        if not narrows:
            return inherited(self, *operands)
        result = inherited(self, *(_widened(operand) for operand in operands))
        return TensorHandle(narrow(result.data, narrows[0]), narrows[0]) if rounds else result

    return operation


def _widened(operand: Any) -> Any:
    if isinstance(operand, TensorHandle) and is_narrow(operand.dtype):
        return TensorHandle(widen(operand.data, operand.dtype), tl.float32)
    return operand


for _name in filter(partial(hasattr, Numerics), ARITHMETIC):
    setattr(NarrowFloats, _name, _in_float32(getattr(Numerics, _name), rounds=True))
for _name in COMPARISONS:
    setattr(NarrowFloats, _name, _in_float32(getattr(Numerics, _name), rounds=False))
