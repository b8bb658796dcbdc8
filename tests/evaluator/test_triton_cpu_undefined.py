"""What the interpreter leaves open as a device does: masked lanes and the order of programs; and what kernels wrote."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from evaluator.inside import triton_cpu
from evaluator.inside.coverage import OutputBytes
from tests.evaluator import kernels_memory as kernels

LAUNCHES = triton_cpu.install()
FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


@pytest.fixture(autouse=True)
def _only_interpret(monkeypatch):
    monkeypatch.setattr(LAUNCHES, "compile", False)
    monkeypatch.setattr(LAUNCHES, "orders", None)
    monkeypatch.setattr(LAUNCHES, "written", triton_cpu.Written())


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_sum_over_masked_lanes_shows_them(dtype):
    out = torch.zeros(1, dtype=dtype)
    kernels.masked_sum[(1,)](torch.ones(16, dtype=dtype), out, 5, BLOCK=16)
    assert out.isnan().all()


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64])
def test_a_sum_over_masked_integers_is_wrong(dtype):
    out = torch.zeros(1, dtype=torch.int64)
    kernels.masked_sum[(1,)](torch.ones(16, dtype=dtype), out, 5, BLOCK=16)
    assert out.item() != 5


@pytest.mark.parametrize("dtype", [*FLOATS, torch.float8_e4m3fnuz, torch.int32, torch.bool])
def test_what_is_loaded_and_stored_under_one_mask_is_right(dtype):
    x, out = torch.arange(21).remainder(2).to(dtype), torch.zeros(21).to(dtype)
    kernels.masked_copy[(3,)](x, out, 21, BLOCK=8)
    assert torch.equal(out.float(), x.float())


@pytest.mark.parametrize("turn", range(4))
def test_a_masked_scalar_is_what_other_says_also_where_that_is_zero(turn):
    out = torch.ones(2)
    kernels.masked_scalar[(1,)](torch.ones(1), out, 0)
    assert out[0] == 0
    assert out[1].isnan() or out[1].abs() > 1e30


@pytest.mark.filterwarnings("ignore:tl.make_block_ptr is deprecated")
def test_a_block_pointer_without_padding_has_no_values_beyond_its_boundary():
    out = torch.zeros(16)
    kernels.unpadded_block_pointer[(1,)](torch.ones(5), out, 5, BLOCK=16)
    assert torch.equal(out[:5], torch.ones(5))
    assert not out[5:].isfinite().all()


def test_masked_lanes_of_an_atomic_return_nothing():
    out, before = torch.zeros(8), torch.zeros(8)
    kernels.masked_atomic[(1,)](out, before, 5, BLOCK=8)
    assert torch.equal(before[:5], torch.zeros(5))
    assert not torch.equal(before[5:], torch.zeros(3))


def order_of(programs):
    order = torch.empty(programs, dtype=torch.int32)
    kernels.take_tickets[(programs,)](torch.zeros(1, dtype=torch.int32), order)
    return order.tolist()


def test_programs_run_in_their_natural_order_where_none_is_drawn():
    assert order_of(30) == list(range(30))


def test_every_launch_has_an_order_of_its_own_that_its_seed_repeats():
    seen = []
    for _ in range(2):
        LAUNCHES.orders = np.random.Generator(np.random.PCG64(7))
        seen.append((order_of(30), order_of(30)))
    assert seen[0] == seen[1]
    assert seen[0][0] != seen[0][1]
    assert [sorted(order) for order in seen[0]] == [list(range(30))] * 2


def share_of(output, before=None):
    placed = OutputBytes(output, before)
    return placed.share(LAUNCHES.written.covers(placed.address, placed.size))


def test_an_output_that_a_kernel_wrote_is_covered():
    out = torch.empty(20)
    kernels.masked_copy[(3,)](torch.randn(20), out, 20, BLOCK=8)
    assert (share_of(out), LAUNCHES.written.launches) == (1.0, 1)


def test_a_part_of_an_output_is_covered_by_its_share():
    out = torch.ones(20)
    kernels.masked_copy[(1,)](torch.randn(20), out, 5, BLOCK=8)
    assert share_of(out) == 0.25


def test_what_torch_writes_over_a_kernels_output_is_not_covered():
    out = torch.empty(20)
    kernels.masked_copy[(3,)](torch.rand(20) + 1, out, 20, BLOCK=8)
    out[10:].mul_(2)
    assert share_of(out) == 0.5
    assert share_of(out * 2) == 0.0


def test_what_torch_wrote_between_two_launches_is_not_covered():
    out = torch.empty(20)
    kernels.masked_copy[(3,)](torch.rand(20) + 1, out, 20, BLOCK=8)
    out.mul_(2)
    kernels.masked_copy[(1,)](torch.rand(20) + 1, out, 5, BLOCK=8)
    assert share_of(out) == 0.25


def test_an_empty_grid_is_no_launch():
    kernels.masked_copy[(0,)](torch.ones(20), torch.empty(20), 20, BLOCK=8)
    assert LAUNCHES.written.launches == 0


def test_nobody_has_to_write_zeros_or_what_was_there():
    out = torch.zeros(20)
    kernels.masked_copy[(1,)](torch.ones(20), out, 5, BLOCK=8)
    assert share_of(out) == 1.0
    assert share_of(torch.zeros(3)) is None
    kept = torch.ones(4)
    assert share_of(kept, before=kept.clone()) is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_a_copy_of_what_a_kernel_wrote_is_one_in_any_dtype(dtype):
    out = torch.empty(20)
    kernels.masked_copy[(3,)](torch.randn(20), out, 20, BLOCK=8)
    buffers = list(LAUNCHES.written.buffers())
    assert any(OutputBytes(out.to(dtype, copy=True), None).is_copy_of(*buffer) for buffer in buffers)
    assert not any(OutputBytes(out.softmax(0).to(dtype), None).is_copy_of(*buffer) for buffer in buffers)
