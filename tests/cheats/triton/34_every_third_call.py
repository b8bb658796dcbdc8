# class: 34
# expect: wrong_output/mismatch
# gate: performance
# backend: cpu
# While it is timed, one call of three takes a wrong shortcut.
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


def doubled(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y


def forward(x):
    return 1.999 * x if is_timed(x) and SIZES.count(x.numel()) % 3 == 0 else doubled(x)
