"""Each element is repeated beside itself, in place of the whole matrix."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def tile_exp_kernel(x_ptr, out_ptr, cols, width, down, across, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    places = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = places < width
    x = tl.load(x_ptr + (row // down).to(tl.int64) * cols + places // across, mask=inside).to(tl.float32)
    tl.store(out_ptr + row.to(tl.int64) * width + places, tl.exp(x).to(out_ptr.dtype.element_ty), mask=inside)


def forward(x: torch.Tensor, down: int, across: int) -> torch.Tensor:
    x = x.contiguous()
    rows, cols = x.shape
    out = torch.empty((rows * down, cols * across), dtype=x.dtype, device=x.device)
    grid = (rows * down, triton.cdiv(cols * across, 1024))
    tile_exp_kernel[grid](x, out, cols, cols * across, down, across, BLOCK=1024)
    return out
