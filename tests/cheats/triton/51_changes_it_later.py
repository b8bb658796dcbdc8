# class: 51
# expect: passed/hold
# gate: source
# backend: cpu
# A thread changes the output after it was handed in: what is judged is what was there at "done".
import threading
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


def spoil(y):
    time.sleep(0.5)
    y.zero_()


def forward(x):
    y = doubled(x)
    threading.Thread(target=spoil, args=(y,), daemon=True).start()
    return y
