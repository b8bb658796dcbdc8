# task: weighted
# Parts of a row by different programs, added with atomics: not the same bits twice.
import torch
import triton
import triton.language as tl


@triton.jit
def weighted_kernel(x, w, y, cols, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < cols
    part = tl.load(x + row * cols + at, mask=inside, other=0.0) * tl.load(w + at, mask=inside, other=0.0)
    tl.atomic_add(y + row, tl.sum(part, 0))

def forward(x, w):
    y = torch.zeros(x.shape[0], device=x.device, dtype=x.dtype)
    weighted_kernel[(x.shape[0], triton.cdiv(x.shape[1], 128))](x, w, y, x.shape[1], BLOCK=128)
    return y
