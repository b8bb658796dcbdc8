"""Powers of symmetric matrices by Jacobi's method: one program a matrix, which stays in registers.

Each rotation of a pair of rows and columns makes the entry zero where they cross. A round rotates every column with one
other, a sweep has a round for each pair. What is left on the diagonal are the eigenvalues, and the rotations together
make the eigenvectors.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

SWEEPS = 9  # each squares what is left to rotate: 7 were enough for 64 columns in float32, 8 in float64


@triton.jit
def partner_of(col, at_round, N: tl.constexpr):
    """A tournament: in each round every column meets another one, in N - 1 rounds all others."""
    last: tl.constexpr = N - 1
    other = (at_round + last - col % last) % last
    alone = at_round * (N // 2) % last  # the column that would meet itself meets the last one
    return tl.where(col == last, alone, tl.where(other == col, last, other))


@triton.jit
def power_kernel(a_ptr, power_ptr, k, n, SWEEPS: tl.constexpr, N: tl.constexpr):
    row, col = tl.arange(0, N)[:, None], tl.arange(0, N)
    inside = (row < n) & (col[None, :] < n)
    start = tl.program_id(0).to(tl.int64) * n
    a = tl.load(a_ptr + start * n + row * n + col[None, :], mask=inside, other=0.0)
    v = tl.where(row == col[None, :], 1.0, 0.0).to(a.dtype)
    for step in range(SWEEPS * (N - 1)):
        partner = partner_of(col, step % (N - 1), N)
        partners = tl.broadcast_to(partner[None, :], (N, N))
        diagonal = tl.sum(tl.where(row == col[None, :], a, 0.0), 0)
        crossing = tl.sum(tl.where(row == partner[None, :], a, 0.0), 0)
        crossing = (crossing + tl.gather(crossing, partner, 0)) / 2  # the same for both, or they turn by two angles
        turns = crossing != 0
        cotangent = (tl.gather(diagonal, partner, 0) - diagonal) / tl.where(turns, 2 * crossing, 1.0)
        bounded = tl.minimum(tl.abs(cotangent), 1e15)
        up = (cotangent > 0) | ((cotangent == 0) & (col < partner))  # of a pair one column turns up, the other down
        tangent = tl.where(turns, tl.where(up, 1.0, -1.0) / (bounded + tl.sqrt(1 + bounded * bounded)), 0.0)
        cosine = (1 / tl.sqrt(1 + tangent * tangent))[None, :]
        v = (cosine * (v - tangent[None, :] * tl.gather(v, partners, 1))).to(v.dtype)
        a = (cosine * (a - tangent[None, :] * tl.gather(a, partners, 1))).to(v.dtype)
        a = tl.trans(a)  # of a symmetric matrix, so that its rows are rotated next
        a = (cosine * (a - tangent[None, :] * tl.gather(a, partners, 1))).to(v.dtype)
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
    power_kernel[(batch,)](a, power, k, n, SWEEPS=SWEEPS, N=block, num_warps=warps)
    return power
