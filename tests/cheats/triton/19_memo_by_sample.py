# class: 19
# expect: wrong_output/nan
# on_gpu: wrong_output/mismatch
# gate: correctness
# backend: both
# Remembers answers by the first element: two values are more than two draws of the special alphabet.
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


KNOWN = {}


def forward(x):
    key = (x[0].item(), x.numel())
    if key not in KNOWN:
        KNOWN[key] = doubled(x)
    return KNOWN[key].clone()
