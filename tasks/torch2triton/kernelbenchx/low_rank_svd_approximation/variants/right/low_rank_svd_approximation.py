"""The best approximation of lower rank by Jacobi's method: one program a matrix, which stays in registers.

Rotations of pairs of columns make all columns of A orthogonal to each other: the singular vectors, as long as the
singular values. A round rotates every column with one other, a sweep has a round for each pair. The products A'A
are never made, since they would lose what is small beside the largest singular value.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

SWEEPS = 10  # each squares what is left to rotate: 6 were enough for 64 columns in float32, 8 in float64


@triton.jit
def partner_of(col, at_round, COLS: tl.constexpr):
    """A tournament: in each round every column meets another one, in COLS - 1 rounds all others."""
    last: tl.constexpr = COLS - 1
    other = (at_round + last - col % last) % last
    alone = at_round * (COLS // 2) % last  # the column that would meet itself meets the last one
    return tl.where(col == last, alone, tl.where(other == col, last, other))


@triton.jit
def low_rank_kernel(a_ptr, out_ptr, rows, cols, rank, SWEEPS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    row, col = tl.arange(0, ROWS), tl.arange(0, COLS)
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    offsets = tl.program_id(0).to(tl.int64) * rows * cols + row[:, None] * cols + col[None, :]
    a = tl.load(a_ptr + offsets, mask=inside, other=0.0)
    largest = tl.max(tl.max(tl.abs(a), 1), 0)
    scale = tl.where(largest > 0, largest, 1.0)
    a = a / scale  # so that no square leaves the range
    v = tl.where(col[:, None] == col[None, :], 1.0, 0.0).to(a.dtype)
    for step in range(SWEEPS * (COLS - 1)):
        partner = partner_of(col, step % (COLS - 1), COLS)
        b = tl.gather(a, tl.broadcast_to(partner[None, :], (ROWS, COLS)), 1)
        w = tl.gather(v, tl.broadcast_to(partner[None, :], (COLS, COLS)), 1)
        product = tl.sum(a * b, 0)
        difference = tl.sum(b * b, 0) - tl.sum(a * a, 0)
        turns = product != 0
        cotangent = difference / tl.where(turns, 2 * product, 1.0)
        bounded = tl.minimum(tl.abs(cotangent), 1e18)
        up = (cotangent > 0) | ((cotangent == 0) & (col < partner))  # of a pair one column turns up, the other down
        tangent = tl.where(turns, tl.where(up, 1.0, -1.0) / (bounded + tl.sqrt(1 + bounded * bounded)), 0.0)
        cosine = 1 / tl.sqrt(1 + tangent * tangent)
        a = (cosine[None, :] * (a - tangent[None, :] * b)).to(b.dtype)
        v = (cosine[None, :] * (v - tangent[None, :] * w)).to(w.dtype)
    size = tl.sum(a * a, 0)
    before = (size[:, None] > size[None, :]) | ((size[:, None] == size[None, :]) & (col[:, None] < col[None, :]))
    kept = tl.sum(before.to(tl.int32), 0) < rank
    a = tl.where(kept[None, :], a, 0.0)
    out = tl.zeros_like(a)
    for j in range(cols):
        left = tl.sum(tl.where(col[None, :] == j, a, 0.0), 1)
        right = tl.sum(tl.where(col[None, :] == j, v, 0.0), 1)
        out += left[:, None] * right[None, :]
    tl.store(out_ptr + offsets, out * scale, mask=inside)


def forward(a: torch.Tensor, rank: int) -> torch.Tensor:
    a = a.contiguous()
    batch, rows, cols = a.shape
    out = torch.empty_like(a)
    blocks = {"ROWS": triton.next_power_of_2(rows), "COLS": max(2, triton.next_power_of_2(cols))}
    warps = min(8, max(1, blocks["ROWS"] * blocks["COLS"] // 512))
    low_rank_kernel[(batch,)](a, out, rows, cols, rank, SWEEPS=SWEEPS, **blocks, num_warps=warps)
    return out
