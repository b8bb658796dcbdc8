"""Scales in the order that matrix units want: one program for each tile of 128 x 4."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

TILE_ROWS, TILE_COLS = 128, 4


@triton.jit
def scale_swizzle_kernel(scales_ptr, out_ptr, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    r, c = tl.arange(0, ROWS)[:, None], tl.arange(0, COLS)[None, :]
    row, col = tl.program_id(0) * ROWS + r, tl.program_id(1) * COLS + c
    scales = tl.load(scales_ptr + row * cols + col, mask=(row < rows) & (col < cols), other=0)
    tile = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
    tl.store(out_ptr + tile * ROWS * COLS + (r % 32) * 16 + (r // 32) * 4 + c, scales)


def forward(scales: torch.Tensor) -> torch.Tensor:
    rows, cols = scales.shape
    tiles = triton.cdiv(rows, TILE_ROWS), triton.cdiv(cols, TILE_COLS)
    out = torch.empty((tiles[0] * TILE_ROWS, tiles[1] * TILE_COLS), dtype=scales.dtype, device=scales.device)
    scale_swizzle_kernel[tiles](scales, out, rows, cols, ROWS=TILE_ROWS, COLS=TILE_COLS)
    return out
