import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(x, w, seed, y):
    row, k, col = tl.program_id(0) * 16 + tl.arange(0, 16), tl.arange(0, 32), tl.arange(0, 16)
    at = row[:, None] * 32 + k[None, :]
    keep = tl.rand(tl.load(seed), at) >= 0.25
    kept = tl.where(keep, tl.load(x + at) / 0.75, 0.0)
    weights = tl.load(w + k[:, None] * 16 + col[None, :])
    tl.store(y + row[:, None] * 16 + col[None, :], tl.dot(kept, weights, input_precision="ieee"))


def forward(x, w, seed):
    y = torch.empty((x.shape[0], 16), dtype=x.dtype, device=x.device)
    product_kernel[(x.shape[0] // 16,)](x, w, seed, y)
    return y
