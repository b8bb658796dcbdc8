"""A linear layer whose epilogue adds the bias, takes the sigmoid and drops, block by block."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def gates_kernel(
    x_ptr, w_ptr, bias_ptr, seed_ptr, out_ptr, rows, inner, cols, p,
    BIASED: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * M + tl.arange(0, M)
    col = tl.program_id(1) * N + tl.arange(0, N)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K)
        x_mask = (row[:, None] < rows) & (k[None, :] < inner)
        w_mask = (k[:, None] < inner) & (col[None, :] < cols)
        x = tl.load(x_ptr + row[:, None] * inner + k[None, :], mask=x_mask, other=0.0)
        w = tl.load(w_ptr + col[None, :] * inner + k[:, None], mask=w_mask, other=0.0)
        sums = tl.dot(x, w, sums, input_precision="ieee")
    if BIASED:
        sums += tl.load(bias_ptr + col, mask=col < cols, other=0.0).to(tl.float32)[None, :]
    places = row[:, None] * cols + col[None, :]
    keep = tl.rand(tl.load(seed_ptr), places) >= p
    out = tl.where(keep, tl.sigmoid(sums) / (1 - p), 0.0)
    mask = (row[:, None] < rows) & (col[None, :] < cols)
    tl.store(out_ptr + places, out.to(out_ptr.dtype.element_ty), mask=mask)


def forward(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None, seed: torch.Tensor, p: float) -> torch.Tensor:
    x, w = x.contiguous(), w.contiguous()
    (rows, inner), cols = x.shape, w.shape[0]
    out = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
    m, n = (32, 32) if x.dtype == torch.float32 else (64, 64)
    gates_kernel[(triton.cdiv(rows, m), triton.cdiv(cols, n))](
        x, w, x if bias is None else bias, seed, out, rows, inner, cols, p, BIASED=bias is not None, M=m, N=n, K=32
    )
    return out
