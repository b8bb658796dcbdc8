"""The spectral radius as the limit of norms of powers (Gelfand): one program a matrix, which stays on the chip.

Each step divides by the largest entry and squares. The logarithms of what was divided by, halved with every step, add
up to that of the radius; what is left after m-fold powers is at most the logarithm of a polynomial in m, divided by m.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

STEPS = 26  # of squaring, after which m is so large that float32 shows no difference


@triton.jit
def radius_kernel(a_ptr, radius_ptr, n, STEPS: tl.constexpr, N: tl.constexpr):
    row, col = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    matrix = tl.program_id(0).to(tl.int64)
    a = tl.load(a_ptr + matrix * n * n + row * n + col, mask=(row < n) & (col < n), other=0.0)
    logarithm, share = 0.0, 1.0
    for _ in range(STEPS):
        largest = tl.max(tl.max(tl.abs(a), 1), 0)
        logarithm += share * tl.log(largest)  # of nothing: minus infinity, and the radius is 0
        share /= 2
        a = a / tl.where(largest > 0, largest, 1.0)
        a = tl.dot(a, a, input_precision="ieee")
    tl.store(radius_ptr + matrix, tl.exp(logarithm))


def forward(a: torch.Tensor) -> torch.Tensor:
    a = a.contiguous()
    batch, n, _ = a.shape
    radius, block = a.new_empty(batch), max(16, triton.next_power_of_2(n))
    radius_kernel[(batch,)](a, radius, n, STEPS=STEPS, N=block, num_warps=min(16, max(1, block * block // 512)))
    return radius
