"""Singular values and vectors by Jacobi's method: one program a matrix, which stays in registers.

Rotations of pairs of columns make all columns of A orthogonal to each other, as long as the singular values.
Reflections then turn these columns into a triangle, of which rounding leaves the diagonal alone: so left vectors are
orthogonal also where columns are zero, and the full ones come for nothing. Of a wide matrix the transpose is factored.
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
    a_ptr, left_ptr, s_ptr, right_ptr, rows, cols, width,
    a_down, a_right, left_down, left_right, right_down, right_right,
    SWEEPS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    row, col, wide = tl.arange(0, ROWS), tl.arange(0, COLS), tl.arange(0, WIDTH)
    matrix = tl.program_id(0).to(tl.int64)
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    at = matrix * rows * cols + row[:, None] * a_down + col[None, :] * a_right
    a = tl.load(a_ptr + at, mask=inside, other=0.0)
    largest = tl.max(tl.max(tl.abs(a), 1), 0)
    scale = tl.where(largest > 0, largest, 1.0)
    a, v = turned(a / scale, SWEEPS, ROWS, COLS)  # divided so that no square leaves the range
    place = place_of(tl.sum(a * a, 0), COLS)
    source = tl.sum(tl.where(place[:, None] == col[None, :], col[:, None], 0), 0)
    a = tl.gather(a, tl.broadcast_to(source[None, :], (ROWS, COLS)), 1)
    v = tl.gather(v, tl.broadcast_to(source[None, :], (COLS, COLS)), 1)
    reflections = tl.zeros_like(a)  # v of column j in column j
    weights = tl.zeros_like(tl.sum(a, 0))  # 2 / v'v, or 0
    diagonal = tl.zeros_like(weights)
    for j in range(cols):
        below = tl.where(row >= j, tl.sum(tl.where(col[None, :] == j, a, 0.0), 1), 0.0)
        longest = tl.max(tl.abs(below), 0)
        longest = tl.where(longest > 0, longest, 1.0)
        below = below / longest
        length = tl.sqrt(tl.sum(below * below, 0))
        head = tl.sum(tl.where(row == j, below, 0.0), 0)
        sign = tl.where(head < 0, -1.0, 1.0)
        mirror = tl.where(row == j, below + sign * length, below)
        square = tl.sum(mirror * mirror, 0)
        weight = tl.where(square > 0, 2 / tl.where(square > 0, square, 1.0), 0.0)
        a -= (weight * mirror)[:, None] * tl.sum(mirror[:, None] * a, 0)[None, :]
        reflections = tl.where(col[None, :] == j, mirror[:, None], reflections)
        weights = tl.where(col == j, weight, weights)
        diagonal = tl.where(col == j, -sign * length * longest, diagonal)
    q = tl.where(row[:, None] == wide[None, :], 1.0, 0.0).to(a.dtype)
    for i in range(cols):
        j = cols - 1 - i
        mirror = tl.sum(tl.where(col[None, :] == j, reflections, 0.0), 1)
        weight = tl.sum(tl.where(col == j, weights, 0.0), 0)
        q -= (weight * mirror)[:, None] * tl.sum(mirror[:, None] * q, 0)[None, :]
    v = tl.where(diagonal[None, :] < 0, -v, v)
    tl.store(s_ptr + matrix * cols + col, tl.abs(diagonal) * scale, mask=col < cols)
    at = matrix * rows * width + row[:, None] * left_down + wide[None, :] * left_right
    tl.store(left_ptr + at, q, mask=(row[:, None] < rows) & (wide[None, :] < width))
    at = matrix * cols * cols + col[:, None] * right_down + col[None, :] * right_right
    tl.store(right_ptr + at, v, mask=(col[:, None] < cols) & (col[None, :] < cols))


def forward(a: torch.Tensor, full: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    a = a.contiguous()
    batch, rows, cols = a.shape
    k = min(rows, cols)
    u = a.new_empty((batch, rows, rows if full else k))
    s = a.new_empty((batch, k))
    vh = a.new_empty((batch, cols if full else k, cols))
    if rows >= cols:
        width = u.shape[2]
        given = (a, u, s, vh, rows, cols, width, cols, 1, width, 1, 1, cols)
    else:
        width = vh.shape[1]
        given = (a, vh, s, u, cols, rows, width, 1, cols, 1, cols, rows, 1)
    sizes = (triton.next_power_of_2(max(rows, cols)), max(2, triton.next_power_of_2(k)), triton.next_power_of_2(width))
    blocks = dict(zip(("ROWS", "COLS", "WIDTH"), sizes, strict=True))
    warps = min(8, max(1, blocks["ROWS"] * blocks["COLS"] // 512))
    svd_kernel[(batch,)](*given, SWEEPS=SWEEPS, **blocks, num_warps=warps)
    return u, s, vh
