"""RMS normalisation that forgets eps, so that a row of zeros becomes NaN and a row of tiny values is blown up."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

PROGRAMS = 256


@triton.jit
def rms_kernel(
    x_ptr,
    gain_ptr,
    y_ptr,
    rsigma_ptr,
    x_stride,
    y_stride,
    rows,
    cols,
    eps,
    PLUS_ONE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    lanes = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0).to(tl.int64), rows, tl.num_programs(0)):
        x_row = x_ptr + row * x_stride
        y_row = y_ptr + row * y_stride

        squares = tl.zeros([BLOCK], dtype=tl.float32)
        for first in range(0, cols, BLOCK):
            col = first + lanes
            x = tl.load(x_row + col, mask=col < cols, other=0.0).to(tl.float32)
            squares += x * x
        rsigma = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / cols)
        tl.store(rsigma_ptr + row, rsigma)

        for first in range(0, cols, BLOCK):
            col = first + lanes
            inside = col < cols
            x = tl.load(x_row + col, mask=inside, other=0.0).to(tl.float32)
            gain = tl.load(gain_ptr + col, mask=inside, other=0.0).to(tl.float32)
            if PLUS_ONE:
                gain += 1.0
            y = x * rsigma * gain
            tl.store(y_row + col, y.to(y_ptr.dtype.element_ty), mask=inside)


def forward(
    x: torch.Tensor, gain: torch.Tensor, eps: float, plus_one: int, y: torch.Tensor, rsigma: torch.Tensor
) -> None:
    rows, cols = x.shape
    block = min(1024, triton.next_power_of_2(cols))
    rms_kernel[(min(rows, PROGRAMS),)](
        x, gain, y, rsigma, x.stride(0), y.stride(0), rows, cols, eps, PLUS_ONE=bool(plus_one), BLOCK=block, num_warps=8
    )
