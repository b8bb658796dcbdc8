"""Singular values by Jacobi's method, and the matrix from the rotated columns: one program a matrix, in registers.

Rotations of pairs of columns make all columns of A orthogonal to each other, as long as the singular values; the same
rotations backwards make A of them. Of a wide matrix the transpose is factored.
"""

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
def svd_kernel(
    a_ptr, y_ptr, s_ptr, rows, cols, down, right,
    SWEEPS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr,
):  # fmt: skip
    row, col = tl.arange(0, ROWS), tl.arange(0, COLS)
    matrix = tl.program_id(0).to(tl.int64)
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    at = matrix * rows * cols + row[:, None] * down + col[None, :] * right
    a = tl.load(a_ptr + at, mask=inside, other=0.0)
    largest = tl.max(tl.max(tl.abs(a), 1), 0)
    scale = tl.where(largest > 0, largest, 1.0)
    a, v = turned(a / scale, SWEEPS, ROWS, COLS)  # divided so that no square leaves the range
    size = tl.sqrt(tl.sum(a * a, 0))
    tl.store(s_ptr + matrix * cols + place_of(size, COLS), size * scale, mask=col < cols)
    y = tl.zeros_like(a)
    for j in range(cols):
        left = tl.sum(tl.where(col[None, :] == j, a, 0.0), 1)
        y += left[:, None] * tl.sum(tl.where(col[None, :] == j, v, 0.0), 1)[None, :]
    tl.store(y_ptr + at, y * scale, mask=inside)


def forward(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    a = a.contiguous()
    batch, rows, cols = a.shape
    k = min(rows, cols)
    y, s = torch.empty_like(a), a.new_empty((batch, k))
    sizes = (rows, cols, cols, 1) if rows >= cols else (cols, rows, 1, cols)
    blocks = {"ROWS": triton.next_power_of_2(max(rows, cols)), "COLS": max(2, triton.next_power_of_2(k))}
    warps = min(8, max(1, blocks["ROWS"] * blocks["COLS"] // 512))
    svd_kernel[(batch,)](a, y, s, *sizes, SWEEPS=SWEEPS, **blocks, num_warps=warps)
    return y, s
