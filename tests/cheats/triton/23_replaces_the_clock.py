# class: 23
# expect: passed/hold
# gate: source
# also: no_effect
# backend: both
# Events and host clocks that say nothing took long.
import time

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

torch.cuda.Event.elapsed_time = lambda self, end: 0.001
torch.cuda.synchronize = lambda device=None: None
time.perf_counter_ns = lambda: 0
time.perf_counter = time.monotonic = lambda: 0.0


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
