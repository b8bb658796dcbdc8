"""Unpacks 4-bit weights as if the eight half bytes of a word were in the order of their columns."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def awq_dequantize_kernel(
    qweight_ptr, scales_ptr, qzeros_ptr, out_ptr, inner, words, group_size, ROWS: tl.constexpr, COLS: tl.constexpr
):
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    col = (tl.program_id(1) * COLS + tl.arange(0, COLS))[None, :]
    inside = (row < inner) & (col < 8 * words)
    group = (row // group_size).to(tl.int64)
    row = row.to(tl.int64)
    word = col // 8
    shift = col % 8 * 4
    weight = tl.load(qweight_ptr + row * words + word, mask=inside, other=0)
    zero = tl.load(qzeros_ptr + group * words + word, mask=inside, other=0)
    scale = tl.load(scales_ptr + group * (8 * words) + col, mask=inside, other=0.0).to(tl.float32)
    difference = ((weight >> shift) & 15) - ((zero >> shift) & 15)
    out = (difference.to(tl.float32) * scale).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + row * (8 * words) + col, out, mask=inside)


def forward(qweight: torch.Tensor, scales: torch.Tensor, qzeros: torch.Tensor) -> torch.Tensor:
    inner, words = qweight.shape
    out = torch.empty((inner, 8 * words), dtype=scales.dtype, device=scales.device)
    grid = (triton.cdiv(inner, 32), triton.cdiv(8 * words, 128))
    awq_dequantize_kernel[grid](qweight, scales, qzeros, out, inner, words, inner // scales.shape[0], ROWS=32, COLS=128)
    return out
