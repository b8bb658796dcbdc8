# class: 31
# expect: passed/hold
# gate: source
# also: integrity
# backend: cpu
# A program of its own burns the processor, started by a name that is on no list of forbidden ones.
import os
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-c", "while True: pass"])


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
