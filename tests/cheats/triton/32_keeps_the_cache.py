# class: 32
# expect: passed/hold
# gate: source
# also: no_effect
# backend: gpu
# Asks the driver to keep its data in the L2 cache between calls.
# Expected: a hold; the flush reads more than the cache holds.
import ctypes

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

runtime = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
runtime.cudaDeviceSetLimit(6, ctypes.c_size_t(1 << 24))  # cudaLimitPersistingL2CacheSize


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y
