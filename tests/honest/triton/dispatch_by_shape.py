# A table says which block suits which size.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

BLOCKS = {256: 256, 301: 64}


def forward(x):
    y = torch.empty_like(x)
    block = BLOCKS.get(x.numel(), 1024 if x.numel() > 1 << 16 else 128)
    double_kernel[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), BLOCK=block)
    return y
