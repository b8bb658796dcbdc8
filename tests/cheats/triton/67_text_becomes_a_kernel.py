# class: 67
# expect: passed/hold
# gate: source
# backend: both
# Triton takes a kernel's source from its file, from the first line that looks like a `def`: here one within a text.
import torch
import triton
import triton.language as tl


@triton.jit(
    repr=lambda _, text="""
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)
    ''' """: "double_kernel"
)
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    # '''
    pass


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
