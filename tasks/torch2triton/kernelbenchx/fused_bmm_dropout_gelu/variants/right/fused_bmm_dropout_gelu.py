"""A batch of products whose epilogue drops and applies GELU, block by block."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def bmm_dropout_gelu_kernel(
    a_ptr, b_ptr, seed_ptr, out_ptr, rows, inner, cols, p,
    APPROXIMATE: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    batch = tl.program_id(2)
    row = tl.program_id(0) * M + tl.arange(0, M)
    col = tl.program_id(1) * N + tl.arange(0, N)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K)
        a_mask = (row[:, None] < rows) & (k[None, :] < inner)
        b_mask = (k[:, None] < inner) & (col[None, :] < cols)
        a = tl.load(a_ptr + (batch * rows + row)[:, None] * inner + k[None, :], mask=a_mask, other=0.0)
        b = tl.load(b_ptr + (batch * inner + k)[:, None] * cols + col[None, :], mask=b_mask, other=0.0)
        sums = tl.dot(a, b, sums, input_precision="ieee")
    places = (batch * rows + row)[:, None] * cols + col[None, :]
    keep = tl.rand(tl.load(seed_ptr), places) >= p
    x = tl.where(keep, sums / (1 - p), 0.0)
    if APPROXIMATE:
        out = x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))
    else:
        out = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    mask = (row[:, None] < rows) & (col[None, :] < cols)
    tl.store(out_ptr + places, out.to(out_ptr.dtype.element_ty), mask=mask)


def forward(a: torch.Tensor, b: torch.Tensor, approximate: int, seed: torch.Tensor, p: float) -> torch.Tensor:
    a, b = a.contiguous(), b.contiguous()
    (batch, rows, inner), cols = a.shape, b.shape[2]
    out = torch.empty((batch, rows, cols), dtype=a.dtype, device=a.device)
    m, n = (32, 32) if a.dtype == torch.float32 else (64, 64)
    bmm_dropout_gelu_kernel[(triton.cdiv(rows, m), triton.cdiv(cols, n), batch)](
        a, b, seed, out, rows, inner, cols, p, APPROXIMATE=bool(approximate), M=m, N=n, K=32
    )
    return out
