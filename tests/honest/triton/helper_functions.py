# task: weighted
# Device functions called by the kernel, a loop that is unrolled, constants of the module.
import torch
import triton
import triton.language as tl


ZERO = tl.constexpr(0.0)


@triton.jit
def product(x, w, at, cols):
    return tl.load(x + at, mask=at < cols, other=ZERO) * tl.load(w + at, mask=at < cols, other=ZERO)


@triton.jit
def weighted_kernel(x, w, y, cols, BLOCK: tl.constexpr, BLOCKS: tl.constexpr):
    total = tl.zeros([BLOCK], tl.float32)
    for block in tl.static_range(BLOCKS):
        total += product(x + tl.program_id(0) * cols, w, block * BLOCK + tl.arange(0, BLOCK), cols)
    tl.store(y + tl.program_id(0), tl.sum(total, 0))

def forward(x, w):
    y = torch.empty(x.shape[0], device=x.device, dtype=x.dtype)
    weighted_kernel[(x.shape[0],)](x, w, y, x.shape[1], BLOCK=128, BLOCKS=triton.cdiv(x.shape[1], 128))
    return y
