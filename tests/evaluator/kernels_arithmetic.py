"""Kernels of the Triton tests: one elementwise operation, chosen by a constant."""

# ruff: noqa: C901, PLR0915  (one branch for each operation)

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.libdevice import tanh


@triton.jit
def binary(x_ptr, y_ptr, out_ptr, size, OP: tl.constexpr, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = lanes < size
    x = tl.load(x_ptr + lanes, mask=inside)
    y = tl.load(y_ptr + lanes, mask=inside)
    if OP == "add":
        z = x + y
    elif OP == "sub":
        z = x - y
    elif OP == "mul":
        z = x * y
    elif OP == "div":
        z = x / y
    elif OP == "mod":
        z = x % y
    elif OP == "floordiv":
        z = x // y
    elif OP == "maximum":
        z = tl.maximum(x, y)
    elif OP == "minimum":
        z = tl.minimum(x, y)
    elif OP == "maximum_nan":
        z = tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)
    elif OP == "minimum_nan":
        z = tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)
    elif OP == "max_builtin":
        z = max(x, y)
    elif OP == "min_builtin":
        z = min(x, y)
    elif OP == "where":
        z = tl.where(x > y, x, y)
    elif OP == "fma":
        z = tl.fma(x, y, x)
    elif OP == "lshift":
        z = x << y
    elif OP == "rshift":
        z = x >> y
    elif OP == "and":
        z = x & y
    elif OP == "or":
        z = x | y
    elif OP == "xor":
        z = x ^ y
    elif OP == "both":
        z = x > 0 and y > 0
    elif OP == "either":
        z = x > 0 or y > 0
    elif OP == "not_greater":
        z = not (x > y)
    elif OP == "lt":
        z = x < y
    elif OP == "le":
        z = x <= y
    elif OP == "gt":
        z = x > y
    elif OP == "ge":
        z = x >= y
    elif OP == "eq":
        z = x == y
    elif OP == "ne":
        z = x != y
    elif OP == "pow":
        z = libdevice.pow(x, y)
    tl.store(out_ptr + lanes, z.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def unary(x_ptr, out_ptr, size, OP: tl.constexpr, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = lanes < size
    x = tl.load(x_ptr + lanes, mask=inside)
    if OP == "neg":
        z = -x
    elif OP == "abs":
        z = tl.abs(x)
    elif OP == "half":
        z = x * 0.5
    elif OP == "plus_one":
        z = x + 1
    elif OP == "reciprocal":
        z = 1 / x
    elif OP == "square_sum":
        z = x * x + x
    elif OP == "exp":
        z = tl.exp(x)
    elif OP == "exp2":
        z = tl.exp2(x)
    elif OP == "log":
        z = tl.log(x)
    elif OP == "log2":
        z = tl.log2(x)
    elif OP == "sin":
        z = tl.sin(x)
    elif OP == "cos":
        z = tl.cos(x)
    elif OP == "sqrt":
        z = tl.sqrt(x)
    elif OP == "rsqrt":
        z = tl.rsqrt(x)
    elif OP == "erf":
        z = tl.erf(x)
    elif OP == "floor":
        z = tl.floor(x)
    elif OP == "ceil":
        z = tl.ceil(x)
    elif OP == "sigmoid":
        z = tl.sigmoid(x)
    elif OP == "clamp":
        z = tl.clamp(x, -0.5, 0.5)
    elif OP == "clamp_nan":
        z = tl.clamp(x, -0.5, 0.5, propagate_nan=tl.PropagateNan.ALL)
    elif OP == "tanh":
        z = tanh(x)
    elif OP == "round":
        z = libdevice.round(x)
    elif OP == "rint":
        z = libdevice.rint(x)
    elif OP == "log1p":
        z = libdevice.log1p(x)
    elif OP == "isnan":
        z = libdevice.isnan(x)
    elif OP == "lgamma":
        z = libdevice.lgamma(x)
    elif OP == "i0":
        z = libdevice.cyl_bessel_i0(x)
    elif OP == "saturatef":
        z = libdevice.saturatef(x)
    tl.store(out_ptr + lanes, z.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def cast(x_ptr, out_ptr, size, BLOCK: tl.constexpr, ROUNDING: tl.constexpr = None):
    lanes = tl.arange(0, BLOCK)
    inside = lanes < size
    x = tl.load(x_ptr + lanes, mask=inside)
    tl.store(out_ptr + lanes, x.to(out_ptr.dtype.element_ty, fp_downcast_rounding=ROUNDING), mask=inside)


@triton.jit
def scaled(x_ptr, out_ptr, scale, flag, BLOCK: tl.constexpr):
    """The type of `x * scale` shows whether a float argument is a tensor (float32) or a weak Python number."""
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes)
    z = x * scale
    if flag:
        z = z + 1
    tl.static_assert(z.dtype == tl.float32)
    tl.store(out_ptr + lanes, z)


@triton.jit
def dot(a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows, columns, inner = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + rows[:, None] * K + inner[None, :])
    b = tl.load(b_ptr + inner[:, None] * N + columns[None, :])
    acc = tl.dot(a, b, out_dtype=out_ptr.dtype.element_ty)
    acc += tl.dot(a, b, out_dtype=out_ptr.dtype.element_ty)
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], acc)
