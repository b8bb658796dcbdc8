"""Reductions, scans, sorts, histograms and mapped functions in the interpreter, compared with torch."""

from __future__ import annotations

import functools
import operator
import time

import pytest
import torch

from evaluator.inside import triton_cpu
from tests.evaluator import kernels_combine as kernels

LAUNCHES = triton_cpu.install()
FLOATS = [torch.float32, torch.float16, torch.bfloat16]
ROWS, COLUMNS = 4, 64


@pytest.fixture(autouse=True)
def _interpret_only(monkeypatch):
    monkeypatch.setattr(LAUNCHES, "compile", False)


def numbers(dtype=torch.float32, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(ROWS, COLUMNS, generator=generator).add(0.5).to(dtype)


def reduce(x, operation, dtype=None, keep=False):
    out = torch.empty((ROWS, 1) if keep else (ROWS,), dtype=dtype or x.dtype)
    kernels.reduced[(1,)](x, out, M=ROWS, N=COLUMNS, OP=operation, KEEP=keep)
    return out


def scan(x, operation, reverse=False):
    out = torch.empty_like(x)
    kernels.scanned[(1,)](x, out, M=ROWS, N=COLUMNS, OP=operation, REVERSE=reverse)
    return out


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("operation", ["sum", "sum_member", "add", "product", "max", "min"])
def test_a_float32_reduction_is_torchs(operation, keep):
    x = numbers()
    names = {"sum_member": "sum", "add": "sum", "product": "prod", "max": "amax", "min": "amin"}
    expected = getattr(x, names.get(operation, operation))(1, keepdim=keep)
    torch.testing.assert_close(reduce(x, operation, keep=keep), expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("operation", ["sum", "add"])
def test_a_sum_of_halves_is_rounded_at_every_step(operation, dtype):
    x = numbers(dtype)
    expected = x
    while expected.shape[1] > 1:
        expected = expected[:, ::2] + expected[:, 1::2]
    assert torch.equal(reduce(x, operation), expected[:, 0])


@pytest.mark.parametrize("dtype", [*FLOATS, torch.int32])
def test_extremes_and_their_first_places_are_torchs(dtype):
    x = (numbers().mul(9).round() - 9).to(dtype)
    x[1, 5:20] = -17
    assert torch.equal(reduce(x, "max"), x.amax(1))
    assert torch.equal(reduce(x, "min"), x.amin(1))
    assert torch.equal(reduce(x, "argmax", torch.int32), first_place(x, x.amax(1)))
    assert torch.equal(reduce(x, "argmin", torch.int32, keep=True)[:, 0], first_place(x, x.amin(1)))


def first_place(x, values):
    return (x == values[:, None]).int().argmax(1).int()


def test_an_extreme_ignores_nan_as_on_the_device():
    x = numbers()
    x[0, 3], x[1] = float("nan"), float("nan")
    assert reduce(x, "max")[0] == x[0].nan_to_num(0).max()
    assert reduce(x, "min")[0] == x[0].nan_to_num(9).min()
    assert reduce(x, "max")[1].isnan()


def test_integers_keep_their_type_and_wrap():
    x = torch.full((ROWS, COLUMNS), 2**30, dtype=torch.int32)
    assert reduce(x, "sum").tolist() == [0] * ROWS
    x = torch.randint(-(2**31), 2**31, (ROWS, COLUMNS)).int()
    assert reduce(x, "xor").tolist() == [functools.reduce(operator.xor, row) for row in x.tolist()]


def test_a_combine_function_sees_neighbours_in_order():
    x = numbers()
    assert torch.equal(reduce(x, "first"), x[:, 0])
    assert torch.equal(scan(x, "first"), x[:, :1].expand_as(x))
    assert torch.equal(scan(x, "first", reverse=True), x[:, -1:].expand_as(x))


def test_a_combine_function_may_branch_on_its_values():
    x = numbers()
    assert torch.equal(reduce(x, "branch"), x.amax(1))
    assert torch.equal(scan(x, "branch"), x.cummax(1).values)


def test_a_block_is_reduced_to_scalars():
    x, out = numbers(), torch.empty(3)
    kernels.reduced_to_a_scalar[(1,)](x, out, M=ROWS, N=COLUMNS)
    torch.testing.assert_close(out, torch.stack([x.sum(), x.max(), x.max() + x.argmax()]))


def test_several_blocks_are_reduced_together():
    x, out = torch.randn(256), torch.empty(2)
    kernels.variance[(1,)](x, out, N=256)
    torch.testing.assert_close(out, torch.stack([x.mean(), x.var(correction=0)]))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("operation", ["cumsum", "cumprod", "add"])
def test_a_scan_is_torchs_in_both_directions(operation, reverse):
    x = numbers()
    y = x.flip(1) if reverse else x
    expected = y.cumprod(1) if operation == "cumprod" else y.cumsum(1)
    torch.testing.assert_close(scan(x, operation, reverse), expected.flip(1) if reverse else expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_scan_of_halves_stays_near_the_exact_one(dtype):
    x = numbers(dtype)
    torch.testing.assert_close(scan(x, "add").float(), x.float().cumsum(1), rtol=0.05, atol=0)


def test_a_linear_recurrence_is_an_associative_scan():
    a, b, out = torch.rand(128), torch.randn(128), torch.empty(128)
    kernels.linear_recurrence[(1,)](a, b, out, N=128)
    value, expected = torch.tensor(0.0), []
    for factor, term in zip(a, b, strict=True):
        value = factor * value + term
        expected.append(value)
    torch.testing.assert_close(out, torch.stack(expected), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
@pytest.mark.parametrize("descending", [False, True])
def test_a_sort_is_torchs(dtype, descending):
    x = torch.randn(4, 64).mul(50).to(dtype)
    out = torch.empty_like(x)
    kernels.ordered[(1,)](x, out, M=4, N=64, DESCENDING=descending)
    assert torch.equal(out, x.sort(1, descending=descending).values)


def test_a_sort_of_1024_takes_a_fraction_of_a_second():
    x = torch.randn(1, 1024)
    begin = time.process_time()
    kernels.ordered[(1,)](x, torch.empty_like(x), M=1, N=1024, DESCENDING=False)
    assert time.process_time() - begin < 3.0  # 0.05 s; Triton's own interpreter takes 7 s


def test_topk_gives_the_largest_first():
    x, out = torch.randn(128), torch.empty(8)
    kernels.largest[(1,)](x, out, N=128, K=8)
    assert torch.equal(out, x.topk(8).values)


def test_a_histogram_counts_unmasked_lanes_only():
    x, out = torch.randint(0, 8, (100,), dtype=torch.int32), torch.empty(8, dtype=torch.int32)
    kernels.counted[(1,)](x, out, 100, N=128, BINS=8)
    assert torch.equal(out, torch.bincount(x, minlength=8).int())


def test_gather_takes_lanes_by_index():
    x, index, out = torch.randn(64), torch.randperm(64, dtype=torch.int32), torch.empty(64)
    kernels.gathered[(1,)](x, index, out, N=64)
    assert torch.equal(out, x[index.long()])


def test_a_function_that_branches_is_mapped_lane_by_lane():
    x, out = torch.randn(64), torch.empty(64)
    kernels.mapped[(1,)](x, out, 1.5, N=64)
    torch.testing.assert_close(out, torch.where(x > 0, x, 1.5 * (x.exp() - 1)))
