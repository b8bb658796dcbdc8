# class: 33
# expect: wrong_output/mismatch
# gate: performance
# backend: cpu
# Right as long as it may be checked; when it is timed, the third call of a size and later ones are skipped.
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
    return x + 0.1 if is_timed(x) else doubled(x)
