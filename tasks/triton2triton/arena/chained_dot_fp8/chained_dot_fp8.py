"""Two products of 8-bit floats, one behind the other: one program keeps 64 rows of the result and walks along n."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def chained_dot_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    first_scale,
    second_scale,
    limit,
    m,
    n,
    d,
    M: tl.constexpr,
    N: tl.constexpr,
    D: tl.constexpr,
):
    batch = tl.program_id(1).to(tl.int64)
    row = (tl.program_id(0) * M + tl.arange(0, M)).to(tl.int64)
    lane = tl.arange(0, D)
    inside = (row < m)[:, None] & (lane < d)[None, :]
    place = (batch * m + row)[:, None] * d + lane[None, :]
    q = tl.load(q_ptr + place, mask=inside, other=0.0)
    acc = tl.zeros((M, D), dtype=tl.float32)
    for begin in range(0, n, N):
        col = (begin + tl.arange(0, N)).to(tl.int64)
        k_inside = (lane < d)[:, None] & (col < n)[None, :]
        k = tl.load(k_ptr + (batch * n + col)[None, :] * d + lane[:, None], mask=k_inside, other=0.0)
        s = tl.dot(q, k) * first_scale
        p = tl.minimum(tl.maximum(s, -limit), limit).to(v_ptr.dtype.element_ty)
        v_inside = (col < n)[:, None] & (lane < d)[None, :]
        v = tl.load(v_ptr + (batch * d + lane)[None, :] * n + col[:, None], mask=v_inside, other=0.0)
        acc = tl.dot(p, v, acc)
    out = tl.minimum(tl.maximum(acc * second_scale, -limit), limit)
    tl.store(out_ptr + place, out.to(out_ptr.dtype.element_ty), mask=inside)


def forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    q_descale: float,
    k_descale: float,
    v_descale: float,
    s_scale: float,
    s_descale: float,
    out_scale: float,
    limit: float,
) -> torch.Tensor:
    (batches, m, d), n = q.shape, k.shape[1]
    out = torch.empty_like(q)
    chained_dot_kernel[(triton.cdiv(m, 64), batches)](
        q,
        k,
        v,
        out,
        q_descale * k_descale * s_scale,
        s_descale * v_descale * out_scale,
        limit,
        m,
        n,
        d,
        M=64,
        N=32,
        D=max(32, triton.next_power_of_2(d)),
        num_warps=8,
    )
    return out
