# class: 44
# expect: passed/hold
# gate: correctness
# backend: cpu
# Launches no program at all; a library operator does the work.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)


def forward(x):
    double_kernel[(0,)](x, torch.empty_like(x), x.numel(), BLOCK=128)
    return torch.mul(x, 2)
