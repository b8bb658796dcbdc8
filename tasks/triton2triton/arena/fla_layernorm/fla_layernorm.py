"""Layer or RMS norm with a gate before or behind it: a program holds four short rows, or a long one."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_fwd_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    z_ptr,
    y_ptr,
    mean_ptr,
    rstd_ptr,
    x_stride,
    z_stride,
    rows,
    cols,
    eps,
    HAS_BIAS: tl.constexpr,
    HAS_GATE: tl.constexpr,
    NORM_FIRST: tl.constexpr,
    RMS: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, COLS)
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    x = tl.load(x_ptr + row[:, None] * x_stride + col[None, :], mask=inside, other=0.0).to(tl.float32)
    if HAS_GATE:
        z = tl.load(z_ptr + row[:, None] * z_stride + col[None, :], mask=inside, other=0.0).to(tl.float32)
        gate = z * tl.sigmoid(z)
        if not NORM_FIRST:
            x *= gate

    mean = tl.zeros([ROWS], dtype=tl.float32) if RMS else tl.sum(x, axis=1) / cols
    centred = tl.where(inside, x - mean[:, None], 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=1) / cols + eps)
    tl.store(mean_ptr + row, mean, mask=row < rows)
    tl.store(rstd_ptr + row, rstd, mask=row < rows)

    weight = tl.load(weight_ptr + col, mask=col < cols, other=0.0).to(tl.float32)
    y = centred * rstd[:, None] * weight[None, :]
    if HAS_BIAS:
        y += tl.load(bias_ptr + col, mask=col < cols, other=0.0).to(tl.float32)[None, :]
    if HAS_GATE and NORM_FIRST:
        y *= gate
    tl.store(y_ptr + row[:, None] * cols + col[None, :], y.to(y_ptr.dtype.element_ty), mask=inside)


def forward(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    z: torch.Tensor | None,
    eps: float,
    norm_first: int,
    rms: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rows, cols = x.shape
    y = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
    mean = torch.empty(rows, dtype=torch.float32, device=x.device)
    rstd = torch.empty_like(mean)
    block = triton.next_power_of_2(cols)
    tile_rows = 4 if block <= 1024 else 1
    layer_norm_fwd_kernel[(triton.cdiv(rows, tile_rows),)](
        x,
        weight,
        weight if bias is None else bias,
        x if z is None else z,
        y,
        mean,
        rstd,
        x.stride(0),
        0 if z is None else z.stride(0),
        rows,
        cols,
        eps,
        HAS_BIAS=bias is not None,
        HAS_GATE=z is not None,
        NORM_FIRST=bool(norm_first),
        RMS=bool(rms),
        ROWS=tile_rows,
        COLS=block,
        num_warps=4 if block <= 2048 else 8,
    )
    return y, mean, rstd
