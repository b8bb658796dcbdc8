# class: 76
# expect: wrong_output/nan
# gate: correctness
# also: performance
# backend: cpu
# task: weighted
# Lanes that a load masks have no value on a device; here they must be 0.
import torch
import triton
import triton.language as tl


@triton.jit
def weighted_kernel(x, w, y, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for begin in range(0, cols, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        inside = at < cols
        total += tl.load(x + row * cols + at, mask=inside) * tl.load(w + at, mask=inside)
    tl.store(y + row, tl.sum(total, 0))


def forward(x, w):
    y = torch.empty(x.shape[0], device=x.device, dtype=x.dtype)
    weighted_kernel[(x.shape[0],)](x, w, y, x.shape[1], BLOCK=128)
    return y
