# coding: unicode_escape
# class: 67
# expect: passed/hold
# gate: source
# backend: both
# What stands behind a number sign is code to Python, by the encoding that the first line asks for.\nimport ctypes
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)


def forward(x):
    ctypes.CDLL(None)
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
