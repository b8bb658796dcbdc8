# class: 52
# expect: wrong_output/nan
# gate: correctness
# also: performance, source
# backend: both
# The work is done by the finaliser of an object that the next call drops.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

class Later:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __del__(self):
        x, y = self.x, self.y
        double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)


KEPT = []


def forward(x):
    y = torch.empty_like(x)
    KEPT[:] = [Later(x, y)]
    return y
