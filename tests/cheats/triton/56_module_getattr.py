# class: 56
# expect: passed/hold
# gate: source
# also: no_effect
# backend: both
# Gives another function at every look at the module: only the first look counts.
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


LOOKS = []


def __getattr__(name):
    if name != "forward":
        raise AttributeError(name)
    LOOKS.append(name)
    return doubled if len(LOOKS) == 1 else torch.zeros_like
