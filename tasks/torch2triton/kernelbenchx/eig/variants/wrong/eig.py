"""Eigenvalues and eigenvectors by Jacobi's method, which stops long before it has converged.

The basis is orthogonal and the eigenvalues look right, but what is left beside the diagonal is far above rounding.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

SWEEPS = 3


@triton.jit
def partner_of(col, at_round, N: tl.constexpr):
    """A tournament: in each round every column meets another one, in N - 1 rounds all others."""
    last: tl.constexpr = N - 1
    other = (at_round + last - col % last) % last
    alone = at_round * (N // 2) % last  # the column that would meet itself meets the last one
    return tl.where(col == last, alone, tl.where(other == col, last, other))


@triton.jit
def squares(a, N: tl.constexpr):
    """The sum of the squares of all entries."""
    return tl.sum(tl.sum(a * a, 1), 0)


@triton.jit
def jacobi_kernel(a_ptr, values_ptr, vectors_ptr, n, eps, SWEEPS: tl.constexpr, N: tl.constexpr):
    row, col = tl.arange(0, N)[:, None], tl.arange(0, N)
    inside = (row < n) & (col[None, :] < n)
    start = tl.program_id(0).to(tl.int64) * n
    a = tl.load(a_ptr + start * n + row * n + col[None, :], mask=inside, other=0.0)
    v = tl.where(row == col[None, :], 1.0, 0.0).to(a.dtype)
    size, left, sweep = squares(a, N), squares(tl.where(row == col[None, :], 0.0, a), N), 0
    while (sweep < SWEEPS) & (left > eps * eps * n * size):
        for at_round in range(N - 1):
            partner = partner_of(col, at_round, N)
            partners = tl.broadcast_to(partner[None, :], (N, N))
            diagonal = tl.sum(tl.where(row == col[None, :], a, 0.0), 0)
            crossing = tl.sum(tl.where(row == partner[None, :], a, 0.0), 0)
            others = tl.gather(diagonal, partner, 0)
            crossing = (crossing + tl.gather(crossing, partner, 0)) / 2  # the same for both, or they turn by two angles
            turns = tl.abs(crossing) > eps * tl.sqrt(tl.abs(diagonal * others))  # what is left is rounding
            cotangent = (others - diagonal) / tl.where(turns, 2 * crossing, 1.0)
            bounded = tl.minimum(tl.abs(cotangent), 1e18)
            up = (cotangent > 0) | ((cotangent == 0) & (col < partner))  # of a pair one column turns up, the other down
            tangent = tl.where(turns, tl.where(up, 1.0, -1.0) / (bounded + tl.sqrt(1 + bounded * bounded)), 0.0)
            cosine = (1 / tl.sqrt(1 + tangent * tangent))[None, :]
            v = (cosine * (v - tangent[None, :] * tl.gather(v, partners, 1))).to(v.dtype)
            a = (cosine * (a - tangent[None, :] * tl.gather(a, partners, 1))).to(v.dtype)
            a = tl.trans(a)  # of a symmetric matrix, so that its rows are rotated next
            a = (cosine * (a - tangent[None, :] * tl.gather(a, partners, 1))).to(v.dtype)
        left = squares(tl.where(row == col[None, :], 0.0, a), N)
        sweep += 1
    values = tl.sum(tl.where(row == col[None, :], a, 0.0), 0)
    down = tl.sum(tl.where(row == col[None, :], a, 0.0), 1)[:, None]
    before = (down < values[None, :]) | ((down == values[None, :]) & (row < col[None, :]))
    place = tl.sum((before & (row < n)).to(tl.int32), 0)
    tl.store(vectors_ptr + start * n + row * n + place[None, :], v, mask=inside)
    tl.store(values_ptr + start + place, values, mask=col < n)


def forward(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    a = a.contiguous()
    batch, n, _ = a.shape
    values, vectors = a.new_empty((batch, n)), torch.empty_like(a)
    block = max(4, triton.next_power_of_2(n))  # a width of 2 keeps the compiler busy for ever
    warps = min(8, max(1, block * block // 512))
    jacobi_kernel[(batch,)](a, values, vectors, n, torch.finfo(a.dtype).eps, SWEEPS=SWEEPS, N=block, num_warps=warps)
    return values, vectors
