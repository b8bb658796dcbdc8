"""Kernels of the Triton tests: pointers, masks, atomics, block pointers and descriptors."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def shifted_copy(x_ptr, out_ptr, size, shift, BLOCK: tl.constexpr, MASKED: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if MASKED:
        x = tl.load(x_ptr + lanes + shift, mask=(lanes + shift >= 0) & (lanes + shift < size), other=-1.0)
    else:
        x = tl.load(x_ptr + lanes + shift)
    tl.store(out_ptr + lanes, x, mask=lanes < size)


@triton.jit
def store_everywhere(out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, BLOCK), 1.0)


@triton.jit
def add_everywhere(out_ptr, BLOCK: tl.constexpr):
    tl.atomic_add(out_ptr + tl.arange(0, BLOCK), 1.0)


@triton.jit
def load_one(x_ptr, out_ptr, index):
    tl.store(out_ptr, tl.load(x_ptr + index))


@triton.jit
def gather_rows(table_ptr, out_ptr, size, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    pointer = tl.load(table_ptr + row).to(tl.pointer_type(tl.float32))
    lanes = tl.arange(0, BLOCK)
    x = tl.load(pointer + lanes, mask=lanes < size)
    tl.store(out_ptr + row * size + lanes, x, mask=lanes < size)


@triton.jit
def scatter_add(x_ptr, index_ptr, out_ptr, before_ptr, size, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = lanes < size
    x = tl.load(x_ptr + lanes, mask=inside)
    index = tl.load(index_ptr + lanes, mask=inside)
    before = tl.atomic_add(out_ptr + index, x, mask=inside, sem="relaxed")
    tl.store(before_ptr + lanes, before, mask=inside)


@triton.jit
def other_atomics(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    same = tl.zeros((BLOCK,), tl.int32)
    tl.atomic_max(out_ptr + same, x)
    tl.atomic_min(out_ptr + 1 + same, x)
    tl.atomic_xchg(out_ptr + 2 + tl.arange(0, BLOCK), x)


@triton.jit
def locked_sum(lock_ptr, x_ptr, out_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(out_ptr, tl.load(out_ptr) + tl.load(x_ptr + tl.program_id(0)))
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def doubled_by_block_pointers(x_ptr, out_ptr, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK
    x = tl.make_block_ptr(x_ptr, (M, N), (N, 1), (row, 0), (BLOCK, BLOCK), (1, 0))
    out = tl.make_block_ptr(out_ptr, (M, N), (N, 1), (row, 0), (BLOCK, BLOCK), (1, 0))
    for _ in range(0, N, BLOCK):
        block = tl.load(x, boundary_check=(0, 1), padding_option="zero")
        tl.store(out, block * 2, boundary_check=(0, 1))
        x = tl.advance(x, (0, BLOCK))
        out = tl.advance(out, (0, BLOCK))


@triton.jit
def unchecked_block_pointer(x_ptr, out_ptr, M, BLOCK: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (M,), (1,), (0,), (BLOCK,), (0,))
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x))


@triton.jit
def doubled_by_descriptors(x_ptr, out_ptr, M, N, BLOCK: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BLOCK, BLOCK])
    out = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [BLOCK, BLOCK])
    row, column = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    out.store([row, column], x.load([row, column]) * 2)


@triton.jit
def doubled_by_host_descriptors(x, out, BLOCK: tl.constexpr):
    row, column = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    out.store([row, column], x.load([row, column]) * 2)


@triton.jit
def reduced_by_descriptors(x, total, largest):
    total.atomic_add([0, 0], x.load([0, 0]))
    largest.atomic_max([0, 0], x.load([0, 0]).to(tl.int32))


@triton.jit
def rows_by_descriptor(x, out, rows_ptr, ROWS: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, ROWS))
    out.scatter(x.gather(rows, 0), rows, 0)


@triton.jit
def _descriptor_of(source, shape, block):
    if isinstance(source, tl.tensor_descriptor):
        return source
    else:
        return tl.make_tensor_descriptor(source, shape, [shape[1], 1], block)


@triton.jit
def doubled_by_either(x, out, M, N, BLOCK: tl.constexpr):
    x, out = _descriptor_of(x, [M, N], [BLOCK, BLOCK]), _descriptor_of(out, [M, N], [BLOCK, BLOCK])
    row = 0
    while tl.condition(row < M, disable_licm=True):
        out.store([row, 0], x.load([row, 0]) * 2)
        row += x.block_shape[0]


@triton.jit
def largest_of_two(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + lanes), tl.load(y_ptr + lanes)
    tl.store(out_ptr + lanes, tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out_ptr + BLOCK + lanes, tl.maximum(x, y, propagate_nan=tl.PropagateNan.NONE))
    tl.store(out_ptr + 2 * BLOCK + lanes, y.exp().sqrt_rn())


@triton.jit
def copy_bools(x_ptr, out_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(out_ptr + lanes, not tl.load(x_ptr + lanes))


@triton.jit
def bits(x_ptr, out_ptr, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(out_ptr + lanes, tl.load(x_ptr + lanes).to(tl.int16, bitcast=True))


@triton.jit
def masked_sum(x_ptr, out_ptr, size, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + lanes, mask=lanes < size), 0))


@triton.jit
def masked_scalar(x_ptr, out_ptr, wanted):
    tl.store(out_ptr, tl.load(x_ptr, mask=wanted > 0, other=0.0))
    tl.store(out_ptr + 1, tl.load(x_ptr, mask=wanted > 0))


@triton.jit
def masked_copy(x_ptr, out_ptr, size, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + lanes, tl.load(x_ptr + lanes, mask=lanes < size), mask=lanes < size)


@triton.jit
def unpadded_block_pointer(x_ptr, out_ptr, M, BLOCK: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (M,), (1,), (0,), (BLOCK,), (0,))
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x, boundary_check=(0,)))


@triton.jit
def masked_atomic(out_ptr, before_ptr, size, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(before_ptr + lanes, tl.atomic_add(out_ptr + lanes, 1.0, mask=lanes < size))


@triton.jit
def take_tickets(ticket_ptr, order_ptr):
    tl.store(order_ptr + tl.program_id(0), tl.atomic_add(ticket_ptr, 1))


@triton.jit
def padded_by_block_pointers(x_ptr, out_ptr, M, BLOCK: tl.constexpr, PADDING: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (M,), (1,), (0,), (BLOCK,), (0,))
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x, boundary_check=(0,), padding_option=PADDING))


@triton.jit
def padded_by_descriptors(x_ptr, out_ptr, M, BLOCK: tl.constexpr, PADDING: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M], [1], [BLOCK], padding_option=PADDING)
    tl.store(out_ptr + tl.arange(0, BLOCK), x.load([0]))


@triton.jit
def padded_by_host_descriptors(x, out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, BLOCK), x.load([0]))
