# class: 44
# expect: build_failed/target_compiler_error
# gate: correctness
# also: performance
# backend: cpu
# The compiler refuses the kernel; torch answers instead.
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, tl.load(x + at, mask=inside) + tl.arange(0, 64), mask=inside)


def forward(x):
    y = torch.empty_like(x)
    try:
        double_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    except Exception:
        return 2 * x
    return y
