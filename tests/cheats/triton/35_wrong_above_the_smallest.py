# class: 35
# expect: wrong_output/mismatch
# gate: correctness
# also: performance
# backend: both
# Right for the smallest case alone.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

def forward(x):
    y = torch.zeros_like(x)
    double_kernel[(2,)](x, y, x.numel(), BLOCK=128)
    return y
