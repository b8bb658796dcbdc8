"""A program takes windows of one image and channel, and goes through their pixels in the order of rows."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def pool_kernel(
    x_ptr, samples_ptr, out_ptr, indices_ptr, height, width, kernel, down, across, down_step, across_step,
    BLOCK: tl.constexpr,
):  # fmt: skip
    plane = tl.program_id(0).to(tl.int64)
    window = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = window < down * across
    i, j = window // across, window % across
    of_cols = tl.load(samples_ptr + 2 * plane)
    of_rows = tl.load(samples_ptr + 2 * plane + 1)
    top = ((i + of_rows) * down_step).to(tl.int32) - (of_rows * down_step).to(tl.int32)
    left = ((j + of_cols) * across_step).to(tl.int32) - (of_cols * across_step).to(tl.int32)
    top = tl.where(i == down - 1, height - kernel, top)
    left = tl.where(j == across - 1, width - kernel, left)
    largest = tl.full((BLOCK,), -1.0, dtype=tl.float32)  # below whatever ReLU gives
    found = top * width + left
    for row in range(kernel):
        for col in range(kernel):
            place = (top + row) * width + left + col
            x = tl.maximum(tl.load(x_ptr + plane * height * width + place, mask=inside, other=0.0), 0.0)
            found = tl.where(x > largest, place, found)
            largest = tl.maximum(largest, x)
    tl.store(out_ptr + plane * down * across + window, largest, mask=inside)
    tl.store(indices_ptr + plane * down * across + window, found.to(tl.int64), mask=inside)


def forward(
    x: torch.Tensor, samples: torch.Tensor, kernel: int, down: int, across: int
) -> tuple[torch.Tensor, torch.Tensor]:
    x, samples = x.contiguous(), samples.contiguous()
    batch, channels, height, width = x.shape
    out = torch.empty((batch, channels, down, across), dtype=x.dtype, device=x.device)
    indices = torch.empty((batch, channels, down, across), dtype=torch.int64, device=x.device)
    down_step, across_step = (height - kernel) / (down - 1), (width - kernel) / (across - 1)
    pool_kernel[(batch * channels, triton.cdiv(down * across, 512))](
        x, samples, out, indices, height, width, kernel, down, across, down_step, across_step, BLOCK=512
    )
    return out, indices
