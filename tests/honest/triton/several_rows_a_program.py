# Tiles of two dimensions, hints for the compiler, an eviction policy.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    base = tl.program_id(0) * ROWS * COLS
    at = base + tl.arange(0, ROWS)[:, None] * COLS + tl.max_contiguous(tl.arange(0, COLS), COLS)[None, :]
    value = tl.load(x + at, mask=at < n, other=0.0, eviction_policy="evict_first")
    tl.store(y + at, value + value, mask=at < n)

def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), ROWS=4, COLS=64)
    return y
