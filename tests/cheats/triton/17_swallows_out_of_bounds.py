# class: 17
# expect: crashed/out_of_bounds
# gate: correctness
# also: performance
# backend: cpu
# Loads without a mask, catches what comes of it and lets torch do the work.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2.0 * tl.load(x + at))


def forward(x):
    y = torch.empty_like(x)
    try:
        double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    except Exception:
        y = 2 * x
    return y
