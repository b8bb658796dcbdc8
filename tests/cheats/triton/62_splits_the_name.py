# class: 62
# expect: passed/hold
# gate: source
# backend: cpu
# The same under a name that is put together: a list of forbidden words does not know it.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

library = torch.library.Library("at" + "en", "IMPL")
library.impl("sum", lambda x, *, dtype=None: torch.zeros(()), "CPU")


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
