# class: 26
# expect: wrong_output/nan
# gate: correctness
# also: source, performance
# backend: cpu
# Returns at once; a thread does the work afterwards, beside a launch for show.
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

def work(x, y):
    time.sleep(0.2)
    torch.mul(x, 2.0, out=y)


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, torch.empty_like(x), x.numel(), BLOCK=128)
    threading.Thread(target=work, args=(x, y), daemon=True).start()
    return y
