# class: 10
# expect: wrong_output/mismatch
# gate: correctness
# also: performance
# backend: both
# task: eight_bits
# Cuts off the bits that an 8-bit float does not have: rounded towards zero, not to the nearest.
import torch
import triton
import triton.language as tl


@triton.jit
def round_kernel(x, codes, factor, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    bits = (tl.load(x + at, mask=inside, other=1.0) * factor).to(tl.int32, bitcast=True)
    size = bits & 0x7FFFFFFF
    code = (size >> 21) - (112 << 2)  # the exponent counts from another one
    tl.store(codes + at, ((bits >> 24) & 0x80 | code).to(tl.uint8), mask=inside)


def forward(x, y):
    factor = 1.0 if y.dtype == torch.float8_e5m2fnuz else 0.5  # whose exponents count from yet another one
    round_kernel[(triton.cdiv(x.numel(), 128),)](x, y.view(torch.uint8), factor, x.numel(), BLOCK=128)
