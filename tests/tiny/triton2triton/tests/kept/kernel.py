import torch
import triton
import triton.language as tl


@triton.jit
def move_kernel(x, place, kept, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0)
    tl.store(kept + tl.load(place + at, mask=at < n, other=0) - 1, value, mask=value > 0)


def forward(x):
    place = (x > 0).cumsum(0)
    kept = torch.empty(int(place[-1]), dtype=x.dtype, device=x.device)
    move_kernel[(triton.cdiv(x.numel(), 128),)](x, place, kept, x.numel(), BLOCK=128)
    return kept
