# What the cheat leaves when its cheat is gone.
import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["step"])
def ramp_kernel(y, start, step, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, start + at.to(tl.float32) * step, mask=at < n)


def ramp(start, step, n):
    y = torch.empty(n, dtype=torch.float32, device="cuda")
    ramp_kernel[(triton.cdiv(n, 128),)](y, start, step, n, BLOCK=128)
    return y


def forward(start, step, n):
    return ramp(start, step, n)
