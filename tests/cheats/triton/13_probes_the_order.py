# class: 13
# expect: passed/order_dependent
# gate: correctness
# backend: cpu
# Has a kernel tell the order of programs, and races only where it is the natural one.
import torch
import triton
import triton.language as tl


@triton.jit
def probe_kernel(ticket, order):
    tl.store(order + tl.program_id(0), tl.atomic_add(ticket, 1))


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    before = tl.load(y + tl.program_id(0) * BLOCK - 1, mask=tl.program_id(0) > 0, other=0.0)
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside) + 0.0 * before, mask=inside)


def forward(x):
    ticket, order = torch.zeros(1, dtype=torch.int32, device=x.device), torch.empty(2, dtype=torch.int32, device=x.device)
    probe_kernel[(2,)](ticket, order)
    y = torch.empty_like(x) if order[0] < order[1] else torch.zeros_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
