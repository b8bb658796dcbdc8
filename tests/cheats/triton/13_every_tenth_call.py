# class: 13
# expect: wrong_output/mismatch
# gate: correctness
# backend: both
# Wrong in one call of ten: a race that is lost now and then.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

def doubled(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y


CALLS = [0]


def forward(x):
    CALLS[0] += 1
    y = doubled(x)
    if CALLS[0] % 10 == 0:
        y[0] = 0.5 * y[0] + 1.0
    return y
