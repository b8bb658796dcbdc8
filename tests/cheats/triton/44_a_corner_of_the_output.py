# class: 44
# expect: passed/hold
# gate: correctness
# backend: cpu
# A kernel writes the first numbers of what a library operator computed.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)


def forward(x):
    y = torch.mul(x, 2)
    double_kernel[(1,)](x, y, min(8, x.numel()), BLOCK=128)
    return y
