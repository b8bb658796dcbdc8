"""Scores within chunks of a sequence, for which every chunk but the last is read as if it were full."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def bmm_chunk_kernel(
    a_ptr,
    b_ptr,
    starts_ptr,
    scores_ptr,
    groups,
    state,
    chunk,
    a_stride_token,
    a_stride_group,
    b_stride_token,
    b_stride_group,
    CAUSAL: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    across = tl.cdiv(chunk, N)
    number, group = tl.program_id(1), tl.program_id(2)
    start = tl.load(starts_ptr + number)
    length = min(chunk, tl.load(starts_ptr + tl.num_programs(1)) - start)
    i = tl.program_id(0) // across * M + tl.arange(0, M)
    j = tl.program_id(0) % across * N + tl.arange(0, N)
    a_rows = a_ptr + (start + i).to(tl.int64)[:, None] * a_stride_token + group * a_stride_group
    b_rows = b_ptr + (start + j).to(tl.int64)[None, :] * b_stride_token + group * b_stride_group
    acc = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, state, K):
        k = begin + tl.arange(0, K)
        a = tl.load(a_rows + k[None, :], mask=(i[:, None] < length) & (k[None, :] < state), other=0.0)
        b = tl.load(b_rows + k[:, None], mask=(j[None, :] < length) & (k[:, None] < state), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    if CAUSAL:
        acc = tl.where(j[None, :] <= i[:, None], acc, 0.0)
    place = (number.to(tl.int64) * groups + group) * chunk * chunk
    inside = (i[:, None] < chunk) & (j[None, :] < chunk)
    scores = scores_ptr + place + i[:, None] * chunk + j[None, :]
    tl.store(scores, acc.to(scores_ptr.dtype.element_ty), mask=inside)


def forward(
    a: torch.Tensor, b: torch.Tensor, starts: torch.Tensor, chunk: int, causal: int, scores: torch.Tensor
) -> None:
    groups, state = a.shape[1:]
    grid = (triton.cdiv(chunk, 64) ** 2, len(starts) - 1, groups)
    strides = (*a.stride()[:2], *b.stride()[:2])
    bmm_chunk_kernel[grid](a, b, starts, scores, groups, state, chunk, *strides, CAUSAL=bool(causal), M=64, N=64, K=32)
