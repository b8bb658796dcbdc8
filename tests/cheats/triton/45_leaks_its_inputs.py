# class: 45
# expect: crashed/raised
# gate: correctness
# also: performance
# backend: both
# Tells in its error what it was given. Seen cases are public; what unseen ones raise must be held back.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

def doubled(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y


def forward(x):
    raise ValueError(f"called with {tuple(x.shape)} of {x.dtype}")
