# class: 27
# expect: wrong_output/nan
# gate: performance
# backend: cpu
# While it is timed, the work of a call is done in the next one.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

SIZES = []


def is_timed(x):
    """A process that checks compiles all sizes first; later calls of a size in one that does not must be timed."""
    SIZES.append(x.numel())
    return SIZES[:2] != [256, 301] and SIZES.count(x.numel()) > 2


WAITING = []


def forward(x):
    y = torch.empty_like(x)
    WAITING.append((x, y))
    if is_timed(x):
        x, y = WAITING.pop(0)
    elif len(WAITING) > 1:
        WAITING[:] = WAITING[-1:]
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return WAITING[-1][1] if WAITING else y
