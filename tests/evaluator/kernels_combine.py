"""Kernels of the Triton tests: reductions, scans, sorts and their combine functions."""

# ruff: noqa: C901, SIM108  (one branch for each operation; a branch is what is tried)

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def first(a, b):
    return a


@triton.jit
def larger_by_branch(a, b):
    if a > b:
        c = a
    else:
        c = b
    return c


@triton.jit
def welford(mean_1, square_1, count_1, mean_2, square_2, count_2):
    count = count_1 + count_2
    delta = mean_2 - mean_1
    return (
        mean_1 + delta * (count_2 / count),
        square_1 + square_2 + delta * delta * (count_1 * count_2 / count),
        count,
    )


@triton.jit
def recurrence(a_1, b_1, a_2, b_2):
    """y[i] = a[i] * y[i - 1] + b[i], as an associative function of pairs."""
    return a_1 * a_2, a_2 * b_1 + b_2


@triton.jit
def reduced(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, OP: tl.constexpr, KEEP: tl.constexpr):
    """Reduce along the rows of an (M, N) block."""
    lanes = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + lanes)
    if OP == "sum":
        y = tl.sum(x, axis=1, keep_dims=KEEP)
    elif OP == "sum_member":
        y = x.sum(1, keep_dims=KEEP)
    elif OP == "max":
        y = tl.max(x, axis=1, keep_dims=KEEP)
    elif OP == "min":
        y = tl.min(x, axis=1, keep_dims=KEEP)
    elif OP == "argmax":
        y = tl.argmax(x, axis=1, keep_dims=KEEP)
    elif OP == "argmin":
        y = tl.argmin(x, axis=-1, keep_dims=KEEP)
    elif OP == "xor":
        y = tl.xor_sum(x, axis=1, keep_dims=KEEP)
    elif OP == "add":
        y = tl.reduce(x, 1, add, keep_dims=KEEP)
    elif OP == "product":
        y = tl.reduce(x, 1, product, keep_dims=KEEP)
    elif OP == "first":
        y = tl.reduce(x, 1, first, keep_dims=KEEP)
    elif OP == "branch":
        y = tl.reduce(x, 1, larger_by_branch, keep_dims=KEEP)
    if KEEP:
        tl.store(out_ptr + tl.arange(0, M)[:, None], y)
    else:
        tl.store(out_ptr + tl.arange(0, M), y)


@triton.jit
def reduced_to_a_scalar(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out_ptr, tl.sum(x))
    tl.store(out_ptr + 1, tl.max(tl.max(x, 0), 0))
    value, index = tl.max(tl.ravel(x), axis=0, return_indices=True)
    tl.store(out_ptr + 2, value + index)


@triton.jit
def variance(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    mean, square, count = tl.reduce((x, tl.zeros_like(x), tl.full((N,), 1, tl.float32)), 0, welford)
    tl.store(out_ptr, mean)
    tl.store(out_ptr + 1, square / count)


@triton.jit
def scanned(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, OP: tl.constexpr, REVERSE: tl.constexpr):
    lanes = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + lanes)
    if OP == "cumsum":
        y = tl.cumsum(x, axis=1, reverse=REVERSE)
    elif OP == "cumprod":
        y = tl.cumprod(x, axis=1, reverse=REVERSE)
    elif OP == "add":
        y = tl.associative_scan(x, 1, add, reverse=REVERSE)
    elif OP == "first":
        y = tl.associative_scan(x, 1, first, reverse=REVERSE)
    elif OP == "branch":
        y = tl.associative_scan(x, 1, larger_by_branch, reverse=REVERSE)
    tl.store(out_ptr + lanes, y.to(out_ptr.dtype.element_ty))


@triton.jit
def linear_recurrence(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    lanes = tl.arange(0, N)
    _, y = tl.associative_scan((tl.load(a_ptr + lanes), tl.load(b_ptr + lanes)), 0, recurrence)
    tl.store(out_ptr + lanes, y)


@triton.jit
def ordered(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, DESCENDING: tl.constexpr):
    lanes = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + lanes, tl.sort(tl.load(x_ptr + lanes), descending=DESCENDING))


@triton.jit
def largest(x_ptr, out_ptr, N: tl.constexpr, K: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, K), tl.topk(tl.load(x_ptr + tl.arange(0, N)), K))


@triton.jit
def counted(x_ptr, out_ptr, size, N: tl.constexpr, BINS: tl.constexpr):
    lanes = tl.arange(0, N)
    x = tl.load(x_ptr + lanes, mask=lanes < size, other=0)
    tl.store(out_ptr + tl.arange(0, BINS), tl.histogram(x, BINS, mask=lanes < size))


@triton.jit
def gathered(x_ptr, index_ptr, out_ptr, N: tl.constexpr):
    lanes = tl.arange(0, N)
    tl.store(out_ptr + lanes, tl.gather(tl.load(x_ptr + lanes), tl.load(index_ptr + lanes), axis=0))


@triton.jit
def selu_of_a_number(x, alpha):
    if x > 0:
        return x
    else:
        return alpha * (tl.exp(x) - 1)


@triton.jit
def mapped(x_ptr, out_ptr, alpha, N: tl.constexpr):
    lanes = tl.arange(0, N)
    tl.store(out_ptr + lanes, tl.map_elementwise(selu_of_a_number, tl.load(x_ptr + lanes), alpha))
