"""Arithmetic in which Triton's own interpreter differs from gfx942: conversions, NaN in min and max, fma, dot."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton._C.libtriton import ir
from triton.runtime.interpreter import InterpreterBuilder, InterpreterOptions, TensorHandle

from evaluator.inside.triton_cpu.dtypes import Array, is_narrow, narrow, numpy_dtype, widen

PRECISIONS = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")  # all computed in float32 here


class Numerics(InterpreterBuilder):  # type: ignore[misc]  # triton has no types
    """The part of the builder for arithmetic. Overflow is silent, as without debug mode; device assertions are on."""

    def __init__(self) -> None:
        super().__init__()
        self.options = InterpreterOptions(
            debug=True,
            sanitize_overflow=False,
            default_dot_input_precision="ieee",
            allowed_dot_input_precisions=PRECISIONS,
        )

    def get_bf16(self, value: float) -> Any:
        return TensorHandle(narrow(np.array([value], dtype=np.float32), tl.bfloat16), tl.bfloat16)

    # minnum and maxnum return the operand that is not NaN; the inherited minimum and maximum return NaN

    def create_minnumf(self, lhs: Any, rhs: Any) -> Any:
        return self.binary_op(lhs, rhs, np.fmin)

    def create_maxnumf(self, lhs: Any, rhs: Any) -> Any:
        return self.binary_op(lhs, rhs, np.fmax)

    def create_clampf(self, value: Any, low: Any, high: Any, propagate_nan: Any) -> Any:
        bounded = np.fmin(np.fmax(value.data, low.data), high.data)
        if propagate_nan == ir.PROPAGATE_NAN.ALL:
            bounded = np.where(np.isnan(value.data), value.data, bounded)
        return TensorHandle(bounded, value.dtype.scalar)

    def create_ashr(self, lhs: Any, rhs: Any) -> Any:
        """Shift without changing the operands, as the inherited method does."""
        signed = [operand.data.astype(f"int{operand.data.itemsize * 8}") for operand in (lhs, rhs)]
        return TensorHandle(np.right_shift(*signed).astype(lhs.data.dtype), lhs.dtype.scalar)

    def create_fma(self, x: Any, y: Any, z: Any) -> Any:
        """Compute in float64, which holds a product of two float32 exactly, so that only the sum is rounded."""
        total = x.data.astype(np.float64) * y.data + z.data
        return TensorHandle(total.astype(z.data.dtype), z.dtype.scalar)

    def create_erf(self, value: Any) -> Any:
        return TensorHandle(torch.erf(torch.from_numpy(np.array(value.data))).numpy(), value.dtype.scalar)

    def create_dot(self, a: Any, b: Any, d: Any, input_precision: Any, max_num_imprecise_acc: int) -> Any:
        """Multiply matrices, accumulating half-precision numbers in float32, as the matrix units do."""
        inside = np.promote_types(d.data.dtype, np.float32) if d.data.dtype.kind == "f" else d.data.dtype
        product = np.matmul(_operand(a, inside), _operand(b, inside)) + d.data
        return TensorHandle(product.astype(d.data.dtype), d.dtype.scalar)

    # conversions

    def cast_impl(self, source: Any, target: Any) -> Any:
        return TensorHandle(_converted(source, target.scalar), target.scalar)

    def create_fp_to_fp(self, source: Any, target: Any, rounding: Any) -> Any:
        if rounding == ir.ROUNDING_MODE.RTZ:
            return TensorHandle(_toward_zero(source, target.scalar), target.scalar)
        return self.cast_impl(source, target)


def _operand(handle: Any, dtype: Any) -> Array:
    data = widen(handle.data, handle.dtype.scalar) if is_narrow(handle.dtype.scalar) else handle.data
    array: Array = data.astype(dtype)
    return array


def _converted(source: Any, target: Any) -> Array:
    """Convert to nearest, ties to even; floats beyond an integer's range saturate to 32 or 64 bits, NaN becomes 0."""
    data, dtype = source.data, source.dtype.scalar
    if is_narrow(dtype):
        data = widen(data, dtype)
    if is_narrow(target):
        return narrow(data.astype(np.float32), target)
    wanted = numpy_dtype(target)
    if data.dtype.kind == "f" and wanted.kind in "iu":
        return _integers(data, wanted)
    array: Array = data.astype(wanted)
    return array


def _toward_zero(source: Any, target: Any) -> Array:
    """Convert towards zero: round to nearest, then step back where that went away from zero."""
    nearest = _converted(source, target)
    values = widen(nearest, target) if is_narrow(target) else nearest
    too_far = np.abs(values.astype(np.float64)) > np.abs(source.data.astype(np.float64))
    bits = nearest.view(f"uint{nearest.itemsize * 8}")
    return np.where(too_far, bits - 1, bits).astype(bits.dtype).view(nearest.dtype)  # one step smaller in magnitude


def _integers(data: Array, wanted: np.dtype[Any]) -> Array:
    """Convert to 32 or 64 bits, then truncate to narrower integers, as the device does."""
    width = np.iinfo(f"{wanted.kind}{max(wanted.itemsize, 4)}")
    whole = np.nan_to_num(np.trunc(data.astype(np.float64)), nan=0.0, posinf=np.inf, neginf=-np.inf)
    above = whole >= float(width.max) + 1.0
    inside = np.where(above, 0.0, np.maximum(whole, float(width.min))).astype(width.dtype)
    array: Array = np.where(above, width.dtype.type(width.max), inside).astype(wanted)
    return array
