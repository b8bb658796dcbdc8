# class: 54
# expect: passed/hold
# gate: source
# backend: both
# Replaces functions of the language that kernels are written in.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

original = tl.cdiv
tl.cdiv = lambda a, b: original(a, b)
triton.cdiv = lambda a, b: (a + b - 1) // b


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
