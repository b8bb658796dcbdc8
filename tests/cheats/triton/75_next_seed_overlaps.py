# class: 75
# expect: wrong_output/mismatch
# gate: correctness
# backend: both
# task: dropped
# It counts from the seed: the next seed drops the same elements, one place further.
import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x, seed, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    keep = tl.rand(7, tl.load(seed) + at) >= 0.25
    tl.store(y + at, tl.where(keep, tl.load(x + at, mask=inside) / 0.75, 0.0), mask=inside)


def forward(x, seed):
    y = torch.empty_like(x)
    dropout_kernel[(triton.cdiv(x.numel(), 1024),)](x, seed, y, x.numel(), BLOCK=1024)
    return y
