# class: 34
# expect: wrong_output/mismatch
# gate: performance
# backend: gpu
# After thirty calls of a size three of ten take a wrong shortcut.
# Expected: one of the outputs that are drawn from the timed calls (97 % a case and session).
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


CALLS = {}


def forward(x):
    CALLS[x.numel()] = CALLS.get(x.numel(), 0) + 1
    return x + 0.1 if CALLS[x.numel()] > 30 and CALLS[x.numel()] % 10 < 3 else doubled(x)
