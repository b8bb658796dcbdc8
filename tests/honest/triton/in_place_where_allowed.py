# may_alias: x
# The contract says that the output may lie in the input, so it does.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

def forward(x):
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, x, x.numel(), BLOCK=128)
    return x
