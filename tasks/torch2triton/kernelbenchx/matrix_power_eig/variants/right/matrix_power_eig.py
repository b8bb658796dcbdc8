"""Powers of symmetric matrices by Jacobi's method: one program a matrix, which stays in registers.

Each rotation of a pair of rows and columns makes the entry zero where they cross. A round rotates every column with one
other, a sweep has a round for each pair. What is left on the diagonal are the eigenvalues, and the rotations together
make the eigenvectors.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

SWEEPS = 30  # at most: 8 are usual, but where eigenvalues are equal thousands of matrices took up to 14


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
def power_kernel(a_ptr, power_ptr, k, n, eps, SWEEPS: tl.constexpr, N: tl.constexpr):
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
    powers = tl.where(col < n, tl.exp(k * tl.log(tl.where(col < n, values, 1.0))), 0.0)
    power = tl.zeros_like(a)
    for j in range(n):
        vector = tl.sum(tl.where(col[None, :] == j, v, 0.0), 1)
        power += (vector * tl.sum(tl.where(col == j, powers, 0.0), 0))[:, None] * vector[None, :]
    tl.store(power_ptr + start * n + row * n + col[None, :], power, mask=inside)


def forward(a: torch.Tensor, k: float) -> torch.Tensor:
    a = a.contiguous()
    batch, n, _ = a.shape
    power = torch.empty_like(a)
    block = max(4, triton.next_power_of_2(n))  # a width of 2 keeps the compiler busy for ever
    warps = min(8, max(1, block * block // 512))
    power_kernel[(batch,)](a, power, k, n, torch.finfo(a.dtype).eps, SWEEPS=SWEEPS, N=block, num_warps=warps)
    return power
