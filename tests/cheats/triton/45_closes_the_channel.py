# class: 45
# expect: crashed/killed
# gate: compile
# also: source
# backend: both
# Closes every file of its process: a judge that gets no answer might blame itself.
import os
import time

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

def doubled(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y


def forward(x):
    if x.numel() == 301:
        os.closerange(3, 1024)
        time.sleep(60)
    return doubled(x)
