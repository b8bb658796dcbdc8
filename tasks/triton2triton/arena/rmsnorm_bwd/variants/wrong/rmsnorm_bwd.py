"""Gradients of RMS normalisation whose mean of a row divides by the columns of whole blocks."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

PROGRAMS = 256


@triton.jit
def rms_bwd_kernel(
    dy_ptr,
    x_ptr,
    gain_ptr,
    rsigma_ptr,
    dx_ptr,
    partial_ptr,
    dy_stride,
    x_stride,
    rows,
    cols,
    PLUS_ONE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    lanes = tl.arange(0, BLOCK)
    partial_row = partial_ptr + tl.program_id(0).to(tl.int64) * cols
    for row in range(tl.program_id(0).to(tl.int64), rows, tl.num_programs(0)):
        dy_row = dy_ptr + row * dy_stride
        x_row = x_ptr + row * x_stride
        dx_row = dx_ptr + row * cols
        rsigma = tl.load(rsigma_ptr + row)

        products = tl.zeros([BLOCK], dtype=tl.float32)
        for first in range(0, cols, BLOCK):
            col = first + lanes
            inside = col < cols
            dy = tl.load(dy_row + col, mask=inside, other=0.0).to(tl.float32)
            x = tl.load(x_row + col, mask=inside, other=0.0).to(tl.float32)
            gain = tl.load(gain_ptr + col, mask=inside, other=0.0).to(tl.float32)
            if PLUS_ONE:
                gain += 1.0
            products += dy * gain * x
        mean = tl.sum(products, axis=0) / (tl.cdiv(cols, BLOCK) * BLOCK)

        for first in range(0, cols, BLOCK):
            col = first + lanes
            inside = col < cols
            dy = tl.load(dy_row + col, mask=inside, other=0.0).to(tl.float32)
            x = tl.load(x_row + col, mask=inside, other=0.0).to(tl.float32)
            gain = tl.load(gain_ptr + col, mask=inside, other=0.0).to(tl.float32)
            if PLUS_ONE:
                gain += 1.0
            dx = rsigma * (dy * gain - rsigma * rsigma * mean * x)
            tl.store(dx_row + col, dx.to(dx_ptr.dtype.element_ty), mask=inside)
            so_far = tl.load(partial_row + col, mask=inside, other=0.0)
            tl.store(partial_row + col, so_far + dy * x * rsigma, mask=inside)


@triton.jit
def gain_grad_kernel(partial_ptr, dgain_ptr, programs, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    total = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for first in range(0, programs, ROWS):
        row = first + tl.arange(0, ROWS)
        inside = (row[:, None] < programs) & (col[None, :] < cols)
        total += tl.load(partial_ptr + row[:, None].to(tl.int64) * cols + col[None, :], mask=inside, other=0.0)
    dgain = tl.sum(total, axis=0)
    tl.store(dgain_ptr + col, dgain.to(dgain_ptr.dtype.element_ty), mask=col < cols)


def forward(
    dy: torch.Tensor, x: torch.Tensor, gain: torch.Tensor, rsigma: torch.Tensor, plus_one: int
) -> tuple[torch.Tensor, torch.Tensor]:
    rows, cols = x.shape
    dx = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
    dgain = torch.empty_like(gain)
    programs = min(rows, PROGRAMS)
    partial = torch.zeros((programs, cols), dtype=torch.float32, device=x.device)
    block = min(1024, triton.next_power_of_2(cols))
    rms_bwd_kernel[(programs,)](
        dy,
        x,
        gain,
        rsigma,
        dx,
        partial,
        dy.stride(0),
        x.stride(0),
        rows,
        cols,
        PLUS_ONE=bool(plus_one),
        BLOCK=block,
    )
    gain_grad_kernel[(triton.cdiv(cols, 64),)](partial, dgain, programs, cols, ROWS=32, COLS=64)
    return dx, dgain
