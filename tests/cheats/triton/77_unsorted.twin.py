# What the cheat leaves when its cheat is gone. The signs are the other ones, which is as right.
import torch
import triton
import triton.language as tl


@triton.jit
def factors_kernel(a_ptr, q_ptr, r_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    a = tl.load(a_ptr + 4 * at, mask=inside)
    b = tl.load(a_ptr + 4 * at + 1, mask=inside)
    c = tl.load(a_ptr + 4 * at + 2, mask=inside)
    d = tl.load(a_ptr + 4 * at + 3, mask=inside)
    length = -tl.sqrt(a * a + c * c)
    cosine = tl.where(length < 0, a / tl.where(length < 0, length, 1.0), 1.0)
    sine = tl.where(length < 0, c / tl.where(length < 0, length, 1.0), 0.0)
    tl.store(q_ptr + 4 * at, cosine, mask=inside)
    tl.store(q_ptr + 4 * at + 1, -sine, mask=inside)
    tl.store(q_ptr + 4 * at + 2, sine, mask=inside)
    tl.store(q_ptr + 4 * at + 3, cosine, mask=inside)
    tl.store(r_ptr + 4 * at, length, mask=inside)
    tl.store(r_ptr + 4 * at + 1, cosine * b + sine * d, mask=inside)
    tl.store(r_ptr + 4 * at + 2, 0.0 * length, mask=inside)
    tl.store(r_ptr + 4 * at + 3, cosine * d - sine * b, mask=inside)


def forward(a):
    q, r = torch.empty_like(a), torch.empty_like(a)
    n = a.shape[0]
    factors_kernel[(triton.cdiv(n, 128),)](a, q, r, n, BLOCK=128)
    return q, r
