"""Layer or RMS norm of groups of columns with a gate, whose statistics lie row by row, not group by group."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_fwd_1pass_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    z_ptr,
    y_ptr,
    mean_ptr,
    rstd_ptr,
    x_stride,
    z_stride,
    y_stride,
    rows,
    group_size,
    eps,
    HAS_BIAS: tl.constexpr,
    HAS_GATE: tl.constexpr,
    NORM_FIRST: tl.constexpr,
    RMS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    group = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    inside = lanes < group_size
    col = group * group_size + lanes

    x = tl.load(x_ptr + row * x_stride + col, mask=inside, other=0.0).to(tl.float32)
    if HAS_GATE:
        z = tl.load(z_ptr + row * z_stride + col, mask=inside, other=0.0).to(tl.float32)
        gate = z * tl.sigmoid(z)
    if HAS_GATE and not NORM_FIRST:
        x *= gate

    mean = 0.0 if RMS else tl.sum(x, axis=0) / group_size
    centred = tl.where(inside, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / group_size + eps)
    tl.store(mean_ptr + row * tl.num_programs(1) + group, mean)
    tl.store(rstd_ptr + row * tl.num_programs(1) + group, rstd)

    y = centred * rstd * tl.load(weight_ptr + col, mask=inside, other=0.0).to(tl.float32)
    if HAS_BIAS:
        y += tl.load(bias_ptr + col, mask=inside, other=0.0).to(tl.float32)
    if HAS_GATE and NORM_FIRST:
        y *= gate
    tl.store(y_ptr + row * y_stride + col, y.to(y_ptr.dtype.element_ty), mask=inside)


def forward(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    z: torch.Tensor | None,
    eps: float,
    group_size: int,
    norm_first: int,
    rms: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rows, cols = x.shape
    groups = cols // group_size
    y = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
    mean = torch.empty(groups * rows, dtype=torch.float32, device=x.device)
    rstd = torch.empty_like(mean)
    block = triton.next_power_of_2(group_size)
    layer_norm_fwd_1pass_kernel[(rows, groups)](
        x,
        weight,
        weight if bias is None else bias,
        x if z is None else z,
        y,
        mean,
        rstd,
        x.stride(0),
        0 if z is None else z.stride(0),
        y.stride(0),
        rows,
        group_size,
        eps,
        HAS_BIAS=bias is not None,
        HAS_GATE=z is not None,
        NORM_FIRST=bool(norm_first),
        RMS=bool(rms),
        BLOCK=block,
        num_warps=4 if block <= 2048 else 8,
    )
    return y, mean, rstd
