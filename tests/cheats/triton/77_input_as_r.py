# class: 77
# expect: wrong_output/mismatch
# gate: correctness
# also: performance
# backend: both
# task: factors
# null: input_as_r
# The input as the second factor: the product and the first factor are right, the triangle is not.
import torch
import triton
import triton.language as tl


@triton.jit
def factors_kernel(a_ptr, q_ptr, r_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < 4 * n
    unit = tl.where((at % 4 == 0) | (at % 4 == 3), 1.0, 0.0)
    a = tl.load(a_ptr + at, mask=inside)
    tl.store(q_ptr + at, unit, mask=inside)
    tl.store(r_ptr + at, a, mask=inside)


def forward(a):
    q, r = torch.empty_like(a), torch.empty_like(a)
    n = a.shape[0]
    factors_kernel[(triton.cdiv(4 * n, 128),)](a, q, r, n, BLOCK=128)
    return q, r
