# class: 13
# expect: passed/order_dependent
# gate: correctness
# backend: cpu
# Program i waits for nobody and reads what program i - 1 wrote.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    before = tl.load(y + tl.program_id(0) * BLOCK - 1, mask=tl.program_id(0) > 0, other=0.0)
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside) + 0.0 * before, mask=inside)


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
