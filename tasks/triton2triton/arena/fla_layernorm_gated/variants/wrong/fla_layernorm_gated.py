"""Layer or RMS norm and an output gate; the padding behind the last column counts into the variance."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_gated_fwd_kernel(
    x_ptr,
    g_ptr,
    weight_ptr,
    bias_ptr,
    y_ptr,
    mean_ptr,
    rstd_ptr,
    rows,
    cols,
    eps,
    HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    RMS: tl.constexpr,
    SWISH: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    first = tl.program_id(0) * ROWS
    col = tl.arange(0, COLS)
    x_block = tl.make_block_ptr(x_ptr, (rows, cols), (cols, 1), (first, 0), (ROWS, COLS), (1, 0))
    g_block = tl.make_block_ptr(g_ptr, (rows, cols), (cols, 1), (first, 0), (ROWS, COLS), (1, 0))
    y_block = tl.make_block_ptr(y_ptr, (rows, cols), (cols, 1), (first, 0), (ROWS, COLS), (1, 0))
    mean_block = tl.make_block_ptr(mean_ptr, (rows,), (1,), (first,), (ROWS,), (0,))
    rstd_block = tl.make_block_ptr(rstd_ptr, (rows,), (1,), (first,), (ROWS,), (0,))

    x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    mean = tl.zeros([ROWS], dtype=tl.float32) if RMS else tl.sum(x, axis=1) / cols
    centred = x - mean[:, None]
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=1) / cols + eps)
    tl.store(mean_block, mean, boundary_check=(0,))
    tl.store(rstd_block, rstd, boundary_check=(0,))

    y = centred * rstd[:, None]
    if HAS_WEIGHT:
        y *= tl.load(weight_ptr + col, mask=col < cols, other=0.0).to(tl.float32)[None, :]
    if HAS_BIAS:
        y += tl.load(bias_ptr + col, mask=col < cols, other=0.0).to(tl.float32)[None, :]
    g = tl.load(g_block, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    y *= tl.sigmoid(g)
    if SWISH:
        y *= g
    tl.store(y_block, y.to(y_ptr.dtype.element_ty), boundary_check=(0, 1))


def forward(
    x: torch.Tensor,
    g: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    eps: float,
    rms: int,
    swish: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rows, cols = x.shape
    y = torch.empty_like(x)
    mean = torch.empty(rows, dtype=torch.float32, device=x.device)
    rstd = torch.empty_like(mean)
    block = triton.next_power_of_2(cols)
    tile_rows = 16 if block <= 512 else 1
    layer_norm_gated_fwd_kernel[(triton.cdiv(rows, tile_rows),)](
        x,
        g,
        x if weight is None else weight,
        x if bias is None else bias,
        y,
        mean,
        rstd,
        rows,
        cols,
        eps,
        HAS_WEIGHT=weight is not None,
        HAS_BIAS=bias is not None,
        RMS=bool(rms),
        SWISH=bool(swish),
        ROWS=tile_rows,
        COLS=block,
        num_warps=4 if block <= 2048 else 8,
    )
    return y, mean, rstd
