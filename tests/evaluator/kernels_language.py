"""Kernels of the Triton tests: features of the language beyond single operations."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.language import load, program_id, static_range, store

GLOBAL_STEP = tl.constexpr(3)


@triton.jit
def loop_halves(out_ptr, first, last, BLOCK: tl.constexpr):
    """(i - 3) // 2 truncates, since i is a scalar tensor and not a Python number."""
    for i in range(first, last):
        tl.store(out_ptr + i, (i - 3) // 2)


@triton.jit
def loop_tl_range(out_ptr, last):
    for i in tl.range(0, last, 2, num_stages=2):
        tl.store(out_ptr + i, i % 3 - 1)


@triton.jit
def loop_down(out_ptr, last):
    for i in range(last, 0, -1):
        tl.store(out_ptr + i, last - i)


@triton.jit
def unrolled(out_ptr, N: tl.constexpr):
    total = 0
    for i in tl.static_range(N):
        total += i // 2
        tl.store(out_ptr + i, total)


@triton.jit
def while_loop(x_ptr, out_ptr, limit):
    value = tl.load(x_ptr)
    steps = 0
    while value > 1 and steps < limit:
        value = value * 0.5
        steps += 1
    tl.store(out_ptr, steps)


@triton.jit
def wrapping_assignment(out_ptr):
    x = 2147483647
    x += 1
    tl.store(out_ptr, x)


@triton.jit
def branches(x_ptr, out_ptr, size, BLOCK: tl.constexpr, UPPER: tl.constexpr = None):
    start = tl.program_id(0)
    if start >= size:
        return
    value = tl.load(x_ptr + start)
    value = value if value > 0 else -value
    if UPPER is not None and not UPPER < 0:
        value = tl.minimum(value, UPPER)
    elif start == 2:
        value = 100.0
    tl.store(out_ptr + start, value)


@triton.jit
def affine(x, scale, shift=1.0):
    return x * scale + shift, x


@triton.jit
def nested(x_ptr, out_ptr, BLOCK: tl.constexpr, FUNCTION: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes)
    y, same = affine(x, 2, shift=0.5)
    first, second = [y, same]
    tl.store(out_ptr + lanes, FUNCTION(first) + second)


@triton.jit
def square(x):
    return x * x


@triton.jit
def imported_by_name(x_ptr, out_ptr):
    step = GLOBAL_STEP
    for i in static_range(2):
        offset = program_id(0) * 2 + i
        store(out_ptr + offset, load(x_ptr + offset) * step)


@triton.jit
def shape_arithmetic(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    pid = tl.program_id(0)
    tl.store(out_ptr + x.shape[0] * pid + tl.arange(0, BLOCK), x / x.numel + x.shape[0] * pid)


@triton.jit
def shapes(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    """Transpose, permute, reshape, join, split, concatenate and flip a block back to its original form."""
    lanes = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + lanes)
    x = tl.permute(tl.trans(x).T.T, (1, 0))
    x = tl.reshape(tl.ravel(x), (M, N))
    even, odd = tl.split(tl.reshape(x, (M, N // 2, 2)))
    x = tl.reshape(tl.join(even, odd), (M, N))
    x = tl.flip(tl.flip(x, 1), 1)
    x += tl.broadcast_to(tl.expand_dims(tl.full((N,), 1, tl.float32), 0), (M, N))
    tl.store(out_ptr + lanes, x + tl.zeros_like(x))


@triton.jit
def random_numbers(out_ptr, seed, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(out_ptr + lanes, tl.rand(seed, lanes))
    tl.store(out_ptr + BLOCK + lanes, tl.randn(seed, lanes))
    tl.store(out_ptr + 2 * BLOCK + lanes, (tl.randint(seed, lanes) & 1).to(tl.float32))


@triton.jit
def asserting(x_ptr, limit, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes)
    tl.static_assert(BLOCK > 1)
    tl.device_assert(x < limit, "x is too large")


@triton.jit
def asserting_in_pythons_words(x_ptr, limit):
    assert tl.load(x_ptr) < limit, "x is too large"


@triton.jit
def assuming(x_ptr, n):
    tl.assume(n > 3)
    tl.store(x_ptr, n)


@triton.jit
def printing(x_ptr):
    x = tl.load(x_ptr)
    tl.device_print("x is", x)
    print("again", x)  # noqa: T201  (Triton makes a device_print of it)
    tl.static_print("never")


@triton.jit
def with_inline_assembly(x_ptr, out_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes)
    y = tl.inline_asm_elementwise("v_add_f32 $0, $1, $1", "=v,v", [x], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out_ptr + lanes, y)


@triton.jit
def with_scaled_dot(x_ptr, scale_ptr, out_ptr, N: tl.constexpr):
    lanes = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + lanes)
    scale = tl.load(scale_ptr + tl.arange(0, N)[:, None] * (N // 32) + tl.arange(0, N // 32)[None, :])
    tl.store(out_ptr + lanes, tl.dot_scaled(x, scale, "e4m3", x, scale, "e4m3"))


@gluon.jit
def in_gluon(x_ptr):
    pass


@triton.jit
def defaulted(x, factor: tl.constexpr = GLOBAL_STEP):
    return factor * x


@triton.jit
def with_default(x_ptr):
    tl.store(x_ptr, defaulted(tl.load(x_ptr)))


@triton.jit
def with_optional(x_ptr, bias_ptr, out_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes)
    if bias_ptr is not None:
        x += tl.load(bias_ptr + lanes)
    tl.store(out_ptr + lanes, x)


@triton.jit
def with_tuple(pair, out_ptr, strides, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(out_ptr + lanes * strides[0], tl.load(pair[0] + lanes) + tl.load(pair[1] + lanes * strides[1]))


def scaler(factor):
    """Return a kernel that uses a local variable of this function."""
    FACTOR = tl.constexpr(factor)

    @triton.jit
    def kernel(x_ptr, BLOCK: tl.constexpr):
        lanes = tl.arange(0, BLOCK)
        tl.store(x_ptr + lanes, tl.load(x_ptr + lanes) * FACTOR)

    return kernel
