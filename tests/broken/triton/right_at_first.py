# expect: wrong_output/mismatch
# Right in the first 20 calls of its process, and only where no more are to be expected.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)


CALLS = [0]


def forward(x):
    CALLS[0] += 1
    if CALLS[0] > 5 and CALLS[0] % 2:
        return x + 0.1
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
