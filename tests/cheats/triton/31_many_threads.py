# class: 31
# expect: crashed/sandbox_limit
# gate: compile
# also: integrity
# perhaps: source
# backend: cpu
# Threads that do nothing but exist.
import threading

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

def start():
    held = threading.Event()
    while True:
        try:
            threading.Thread(target=held.wait, daemon=True).start()
        except RuntimeError:
            pass


def forward(x):
    start()
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
