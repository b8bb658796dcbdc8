# class: 75
# expect: wrong_output/mismatch
# gate: correctness
# also: performance
# backend: both
# task: hidden
# Multiplies all of x: the mean of what dropout gives.
import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(x, w, seed, y):
    row, k, col = tl.program_id(0) * 16 + tl.arange(0, 16), tl.arange(0, 32), tl.arange(0, 16)
    at = row[:, None] * 32 + k[None, :]
    kept = tl.load(x + at)
    weights = tl.load(w + k[:, None] * 16 + col[None, :])
    tl.store(y + row[:, None] * 16 + col[None, :], tl.dot(kept, weights, input_precision="ieee"))


def forward(x, w, seed):
    y = torch.empty((x.shape[0], 16), dtype=x.dtype, device=x.device)
    product_kernel[(x.shape[0] // 16,)](x, w, seed, y)
    return y
