# fault: power-of-two bins
# task: histogram
# exposed_by: alignment
# also: scale_up
# reason: mismatch
# Keeps values in range by a mask of bits.
import torch
import triton
import triton.language as tl


@triton.jit
def count_kernel(x, counts, n, bins, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.atomic_add(counts + (tl.load(x + at, mask=inside, other=0) & (bins - 1)), 1, mask=inside)


def forward(x, bins):
    counts = torch.zeros(bins, device=x.device, dtype=torch.int32)
    count_kernel[(triton.cdiv(x.numel(), 256),)](x, counts, x.numel(), bins, BLOCK=256)
    return counts
