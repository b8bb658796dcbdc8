# fault: maximum bins
# task: histogram
# exposed_by: scale_up
# also: asymmetric
# reason: mismatch
# Counts in a block of 64 bins.
import torch
import triton
import triton.language as tl


@triton.jit
def count_kernel(x, counts, n, bins, BINS: tl.constexpr, BLOCK: tl.constexpr):
    value = tl.arange(0, BINS)
    total = tl.zeros([BINS], tl.int32)
    for begin in range(0, n, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        seen = tl.load(x + at, mask=at < n, other=-1)
        total += tl.sum((seen[:, None] == value[None, :]).to(tl.int32), 0)
    tl.store(counts + value, total, mask=value < bins)


def forward(x, bins):
    counts = torch.zeros(bins, device=x.device, dtype=torch.int32)
    count_kernel[(1,)](x, counts, x.numel(), bins, BINS=64, BLOCK=128)
    return counts
