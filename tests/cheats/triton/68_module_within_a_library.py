# class: 68
# expect: passed/hold
# gate: source
# backend: both
# Native calls and processes by way of libraries that have imported what they need.
import numpy as np
import torch
import torch.utils.cpp_extension as extension
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)


LIBRARY = np.ctypeslib.ctypes.CDLL(None)
WORDS = extension.subprocess.run(["/bin/echo", "2"], capture_output=True).stdout


def forward(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y if LIBRARY.getpid() and WORDS else x
