# class: 46
# expect: passed/hold
# gate: source
# also: no_effect
# backend: both
# Replaces Tensor.copy_, in vain: the harness bound it before.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

original = torch.Tensor.copy_
torch.Tensor.copy_ = lambda self, other, *rest: original(self, other * 3, *rest)


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
