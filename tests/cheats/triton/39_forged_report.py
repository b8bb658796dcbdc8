# class: 39
# expect: tampered/forged_reply
# gate: correctness
# also: source
# backend: cpu
# Answers the judge's question about its kernels with nonsense.
from evaluator.inside import triton_cpu

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y


triton_cpu.InterpretedLaunches.reports = lambda self: [1]
