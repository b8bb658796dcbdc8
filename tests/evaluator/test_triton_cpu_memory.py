"""Atomics, block pointers, descriptors and special element types in the interpreter."""

from __future__ import annotations

import math

import pytest
import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor

from evaluator.inside import triton_cpu
from evaluator.inside.triton_cpu.dtypes import FLOAT8
from tests.evaluator import kernels_memory as kernels

LAUNCHES = triton_cpu.install()


@pytest.fixture(autouse=True)
def _compile_and_execute(monkeypatch):
    monkeypatch.setattr(LAUNCHES, "compile", True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32])
def test_atomic_add_adds_lanes_of_one_address_one_by_one(dtype):
    x = torch.randint(-4, 5, (300,)).to(dtype)
    index = torch.randint(0, 7, (300,), dtype=torch.int32)
    out, before = torch.zeros(7, dtype=dtype), torch.empty(300, dtype=dtype)
    kernels.scatter_add[(3,)](x, index, out, before, 300, BLOCK=128)
    assert torch.equal(out, torch.zeros(7).index_add(0, index, x.float()).to(dtype))
    for place in range(7):
        lanes = torch.nonzero(index == place)[:, 0]
        total = x[lanes].float().cumsum(0)
        assert torch.equal(before[lanes].float(), total - x[lanes].float())


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32])
def test_atomic_max_min_and_exchange(dtype, monkeypatch):
    monkeypatch.setattr(LAUNCHES, "compile", False)  # Triton 3.7.1 has no buffer exchange for gfx942
    x = torch.randn(16).mul(9).to(dtype)
    out = torch.zeros(18, dtype=dtype)
    kernels.other_atomics[(1,)](x, out, BLOCK=16)
    assert out[0] == max(x.max(), 0)
    assert out[1] == min(x.min(), 0)
    assert torch.equal(out[2:], x)


def test_a_lock_is_taken_and_given_back_by_each_program():
    lock, x, out = torch.zeros(1, dtype=torch.int32), torch.arange(5.0), torch.zeros(1)
    kernels.locked_sum[(5,)](lock, x, out)
    assert (lock.item(), out.item()) == (0, 10)


@pytest.mark.filterwarnings("ignore:tl.make_block_ptr is deprecated")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_block_pointers_stop_at_the_boundary(dtype):
    x = torch.randn(50, 70).to(dtype)
    out = torch.empty_like(x)
    kernels.doubled_by_block_pointers[(2,)](x, out, 50, 70, BLOCK=32)
    assert torch.equal(out, 2 * x)


def test_descriptors_made_in_the_kernel_stop_at_the_boundary():
    x, out = torch.randn(50, 68), torch.empty(50, 68)
    kernels.doubled_by_descriptors[(2, 3)](x, out, 50, 68, BLOCK=32)
    assert torch.equal(out, 2 * x)


def test_descriptors_made_on_the_host_stop_at_the_boundary():
    x, out = torch.randn(50, 68), torch.empty(50, 68)
    descriptors = [TensorDescriptor.from_tensor(tensor, [32, 32]) for tensor in (x, out)]
    kernels.doubled_by_host_descriptors[(2, 3)](*descriptors, BLOCK=32)
    assert torch.equal(out, 2 * x)


def padded_by_block_pointers(x, out, padding):
    kernels.padded_by_block_pointers[(1,)](x, out, x.numel(), BLOCK=out.numel(), PADDING=padding)


def padded_by_descriptors(x, out, padding):
    kernels.padded_by_descriptors[(1,)](x, out, x.numel(), BLOCK=out.numel(), PADDING=padding)


def padded_by_host_descriptors(x, out, padding):
    descriptor = TensorDescriptor.from_tensor(x, [out.numel()], padding=padding)
    kernels.padded_by_host_descriptors[(1,)](descriptor, out, BLOCK=out.numel())


@pytest.mark.filterwarnings("ignore:tl.make_block_ptr is deprecated")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, *FLOAT8.values()])
@pytest.mark.parametrize("load", [padded_by_block_pointers, padded_by_descriptors, padded_by_host_descriptors])
def test_what_lies_beyond_the_boundary_is_the_padding_of_the_load_in_every_float_type(load, dtype, monkeypatch):
    monkeypatch.setattr(LAUNCHES, "compile", dtype == torch.bfloat16)  # no target has every 8-bit float
    x = torch.arange(1.0, 17).to(dtype)
    for padding, expected in (("zero", 0.0), ("nan", math.nan)):
        out = torch.full((32,), 2.0).to(dtype)
        load(x, out, padding)
        wanted = torch.cat((x.float(), torch.full((16,), expected)))
        torch.testing.assert_close(out.float(), wanted, rtol=0, atol=0, equal_nan=True)


def test_atomics_of_descriptors_stop_at_the_boundary():
    x = torch.randint(-4, 5, (50, 68)).float()
    total, largest = torch.ones(50, 68), torch.zeros(50, 68, dtype=torch.int32)
    kernels.reduced_by_descriptors[(3,)](*(TensorDescriptor.from_tensor(one, [64, 64]) for one in (x, total, largest)))
    assert torch.equal(total[:, :64], 1 + 3 * x[:, :64])
    assert torch.equal(largest[:, :64], x[:, :64].int().clamp(min=0))
    assert (total[:, 64:] == 1).all()


def test_rows_are_gathered_and_scattered_by_descriptors():
    x, out = torch.randn(64, 32).half(), torch.zeros(64, 32).half()
    rows = torch.tensor([5, 3, 63, 1, 7, 8, 0, 2], dtype=torch.int32)
    kernels.rows_by_descriptor[(1,)](*(TensorDescriptor.from_tensor(one, [1, 32]) for one in (x, out)), rows, ROWS=8)
    assert torch.equal(out[rows.long()], x[rows.long()])


@pytest.mark.parametrize("on_the_host", [False, True])
def test_a_kernel_takes_a_pointer_or_a_descriptor(on_the_host):
    """An allocator is never asked: on AMD's targets a descriptor needs no memory of its own."""
    asked = []
    triton.set_allocator(lambda size, alignment, stream: asked.append(size))
    x, out = torch.randn(48, 32), torch.empty(48, 32)
    given = [TensorDescriptor.from_tensor(one, [32, 32]) if on_the_host else one for one in (x, out)]
    kernels.doubled_by_either[(1,)](*given, 48, 32, BLOCK=32)
    assert torch.equal(out, 2 * x)
    assert not asked


def test_a_hook_of_a_configuration_tells_descriptors_their_size():
    def hook(nargs):
        nargs["x"].block_shape = nargs["out"].block_shape = [nargs["BLOCK"], nargs["BLOCK"]]

    tuned = triton.autotune([triton.Config({"BLOCK": size}, pre_hook=hook) for size in (16, 32)], key=[])
    x, out = torch.randn(32, 32), torch.empty(32, 32)
    descriptors = [TensorDescriptor.from_tensor(one, [1, 4]) for one in (x, out)]
    tuned(kernels.doubled_by_host_descriptors)[lambda meta: (32 // meta["BLOCK"],) * 2](*descriptors)
    assert torch.equal(out, 2 * x)


def test_the_larger_of_two_propagates_nan_as_asked():
    nan = float("nan")
    x, y, out = torch.tensor([nan, 1.0, 2.0, nan]), torch.tensor([nan, nan, 3.0, 1.0]), torch.empty(12)
    kernels.largest_of_two[(1,)](x, y, out, BLOCK=4)
    assert torch.equal(out[:4].isnan(), x.isnan() | y.isnan())
    assert torch.equal(out[4:8].isnan(), x.isnan() & y.isnan())
    assert torch.allclose(out[8:], y.exp().sqrt(), equal_nan=True)


def test_bools_are_bytes():
    x, out = torch.rand(64) > 0.5, torch.empty(64, dtype=torch.bool)
    kernels.copy_bools[(1,)](x, out, BLOCK=64)
    assert torch.equal(out, ~x)


def test_a_reinterpreted_tensor_and_a_bitcast_keep_the_bits():
    x, out = torch.randn(64).bfloat16(), torch.empty(64, dtype=torch.int16)
    kernels.bits[(1,)](triton.reinterpret(x.view(torch.float16), triton.language.bfloat16), out, BLOCK=64)
    assert torch.equal(out, x.view(torch.int16))
