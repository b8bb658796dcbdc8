# Says what it does, on both streams, and logs.
import logging
import warnings

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

logging.getLogger("kernel").warning("loaded")


def forward(x):
    print("doubling", tuple(x.shape))
    warnings.warn("this kernel is young", stacklevel=2)
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
