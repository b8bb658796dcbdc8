"""Out-of-bounds accesses are detected, valid ones are not."""

from __future__ import annotations

import mmap

import pytest
import torch

from evaluator.inside import triton_cpu
from tests.evaluator import kernels_memory as kernels

LAUNCHES = triton_cpu.install()


@pytest.fixture(autouse=True)
def _interpret_only(monkeypatch):
    monkeypatch.setattr(LAUNCHES, "compile", False)


def copy(x, shift=0, block=1024, masked=False, size=None):
    out = torch.empty(block)
    size = len(x) if size is None else size
    kernels.shifted_copy[(1,)](x, out, size, shift, BLOCK=block, MASKED=masked)
    return out[:size]


def test_it_counts_the_active_lanes_outside():
    with pytest.raises(triton_cpu.OutOfBounds) as caught:
        copy(torch.randn(1000))
    assert str(caught.value).startswith("load out of bounds in program (0, 0, 0): 24 of 1024 active lanes")
    assert "kernel shifted_copy, line 15" in str(caught.value)


def test_one_past_the_end_is_outside():
    assert copy(torch.ones(1024)).sum() == 1024
    with pytest.raises(triton_cpu.OutOfBounds, match="1 of 1024"):
        copy(torch.ones(1024), shift=1)


def test_a_negative_offset_is_outside():
    with pytest.raises(triton_cpu.OutOfBounds, match="3 of 1024"):
        copy(torch.ones(1024), shift=-3)


def test_a_far_offset_is_an_exception_and_no_crash():
    for shift in (2**30, -(2**30)):
        with pytest.raises(triton_cpu.OutOfBounds, match="1024 of 1024"):
            copy(torch.ones(1024), shift=shift)


def test_masked_lanes_never_count():
    x = torch.arange(10.0)
    assert copy(x, shift=-3, block=16, masked=True).tolist() == [-1.0] * 3 + x[:7].tolist()
    assert copy(torch.empty(0), block=16, masked=True).tolist() == []


def test_stores_and_atomics_are_checked_before_they_write():
    memory = bytearray(4 * 128)
    out = torch.frombuffer(memory, dtype=torch.float32, count=60)
    for kernel, what in ((kernels.store_everywhere, "store"), (kernels.add_everywhere, "atomic")):
        with pytest.raises(triton_cpu.OutOfBounds, match=rf"{what} out of bounds in program .*: 4 of 64"):
            kernel[(1,)](out, BLOCK=64)
    assert not any(memory)


def test_the_program_is_named():
    x = torch.ones(2048)
    out = torch.empty(1024)
    with pytest.raises(triton_cpu.OutOfBounds, match=r"store out of bounds in program \(1, 0, 0\)"):
        kernels.shifted_copy[(2,)](x, out, 2048, 0, BLOCK=1024, MASKED=False)


def test_a_scalar_access_is_checked():
    x, out = torch.arange(4.0), torch.empty(1)
    kernels.load_one[(1,)](x, out, 3)
    assert out.item() == 3
    with pytest.raises(triton_cpu.OutOfBounds, match="1 of 1 active"):
        kernels.load_one[(1,)](x, out, 4)


def test_a_view_may_reach_all_of_its_storage():
    x, out = torch.arange(8.0), torch.empty(1)
    kernels.load_one[(1,)](x[4:6], out, -4)
    assert out.item() == 0


def test_a_table_of_pointers_to_live_tensors_is_allowed():
    rows = [torch.randn(100) for _ in range(4)]
    table = torch.tensor([row.data_ptr() for row in rows], dtype=torch.int64)
    out = torch.empty(4, 100)
    kernels.gather_rows[(4,)](table, out, 100, BLOCK=128)
    assert torch.equal(out, torch.stack(rows))


def test_a_table_of_invalid_pointers_is_not_allowed():
    row = torch.frombuffer(bytearray(1000), dtype=torch.float32, count=100)
    table = torch.tensor([row.data_ptr(), row.data_ptr() + 200], dtype=torch.int64)
    out = torch.empty(2, 100)
    with pytest.raises(triton_cpu.OutOfBounds, match=r"load out of bounds in program \(1, 0, 0\): 50 of 100"):
        kernels.gather_rows[(2,)](table, out, 100, BLOCK=128)


def test_a_tensor_over_part_of_a_mapping_counts_with_its_own_bytes():
    mapping = mmap.mmap(-1, 1 << 16)
    x = torch.frombuffer(mapping, dtype=torch.float32, count=1000, offset=4096)
    with pytest.raises(triton_cpu.OutOfBounds, match="24 of 1024"):
        copy(x)
    with pytest.raises(triton_cpu.OutOfBounds, match="2 of 512"):
        copy(x, shift=-2, block=512)
    assert copy(x, block=512, size=512).sum() == 0


@pytest.mark.filterwarnings("ignore:tl.make_block_ptr is deprecated")
def test_an_unchecked_block_pointer_is_checked_here():
    x, out = torch.randn(60), torch.empty(64)
    with pytest.raises(triton_cpu.OutOfBounds, match=r"load out of bounds in program .*: 4 of 64"):
        kernels.unchecked_block_pointer[(1,)](x, out, 60, BLOCK=64)


def test_the_process_is_as_before_after_a_failure():
    with pytest.raises(triton_cpu.OutOfBounds):
        copy(torch.randn(1000))
    assert copy(torch.ones(1024)).sum() == 1024
