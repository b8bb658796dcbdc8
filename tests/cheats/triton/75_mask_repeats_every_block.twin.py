# The same with positions that count through all programs.
import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x, seed, y, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    at = tl.program_id(0) * BLOCK + lanes
    inside = at < n
    keep = tl.rand(tl.load(seed), at) >= 0.25
    tl.store(y + at, tl.where(keep, tl.load(x + at, mask=inside) / 0.75, 0.0), mask=inside)


def forward(x, seed):
    y = torch.empty_like(x)
    dropout_kernel[(triton.cdiv(x.numel(), 1024),)](x, seed, y, x.numel(), BLOCK=1024)
    return y
