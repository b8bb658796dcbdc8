"""One program for 512 output pixels of a channel: places and weights first, then 1, 4 or 16 reads."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def place(i, ratio, ALIGNED: tl.constexpr):
    return i * ratio if ALIGNED else (i + 0.5) * ratio - 0.5


@triton.jit
def cubic_weight(t, TAP: tl.constexpr):
    """The weight of the pixel at TAP - 1, where t is how far the place lies beyond pixel 0."""
    near = t if TAP < 2 else 1.0 - t
    inner = (1.25 * near - 2.25) * near * near + 1.0
    outer = -0.75 * near * (1.0 - near) * (1.0 - near)
    return inner if TAP == 1 or TAP == 2 else outer


@triton.jit
def interpolate_kernel(
    x_ptr, y_ptr, height, width, out_w, out_size, ratio_h, ratio_w, MODE: tl.constexpr, ALIGNED: tl.constexpr,
    BLOCK: tl.constexpr
):  # fmt: skip
    blocks = tl.cdiv(out_size, BLOCK)
    plane = (tl.program_id(0) // blocks).to(tl.int64)
    offsets = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < out_size
    row, col = (offsets // out_w).to(tl.float32), (offsets % out_w).to(tl.float32)
    x_ptr += plane * height * width
    if MODE == 0:
        y = tl.minimum((row * ratio_h).to(tl.int32), height - 1)
        x = tl.minimum((col * ratio_w).to(tl.int32), width - 1)
        value = tl.load(x_ptr + y * width + x, mask=inside)
    else:
        v, u = place(row, ratio_h, ALIGNED), place(col, ratio_w, ALIGNED)
        if MODE == 1:
            v, u = tl.maximum(v, 0.0), tl.maximum(u, 0.0)
        top, left = tl.floor(v), tl.floor(u)
        down, right = v - top, u - left
        y, x = top.to(tl.int32), left.to(tl.int32)
        value = tl.zeros((BLOCK,), tl.float32)
        if MODE == 1:
            for i in tl.static_range(2):
                for j in tl.static_range(2):
                    at = tl.minimum(y + i, height - 1) * width + tl.minimum(x + j, width - 1)
                    weight = (down if i else 1.0 - down) * (right if j else 1.0 - right)
                    value += weight * tl.load(x_ptr + at, mask=inside).to(tl.float32)
        else:
            for i in tl.static_range(4):
                line = tl.minimum(tl.maximum(y + (i - 1), 0), height - 1) * width
                part = tl.zeros((BLOCK,), tl.float32)
                for j in tl.static_range(4):
                    at = line + tl.minimum(tl.maximum(x + (j - 1), 0), width - 1)
                    part += cubic_weight(right, j) * tl.load(x_ptr + at, mask=inside).to(tl.float32)
                value += cubic_weight(down, i) * part
    tl.store(y_ptr + plane * out_size + offsets, value.to(y_ptr.dtype.element_ty), mask=inside)


def ratio_of(length: int, out: int, quarters: int, by_factor: int, align_corners: int) -> float:
    if align_corners:
        return (length - 1) / (out - 1) if out > 1 else 0.0
    return 4 / quarters if by_factor else length / out


def forward(
    x: torch.Tensor, quarters_h: int, quarters_w: int, mode: int, by_factor: int, align_corners: int
) -> torch.Tensor:
    x = x.contiguous()
    batch, channels, height, width = x.shape
    out_h, out_w = height * quarters_h // 4, width * quarters_w // 4
    y = torch.empty((batch, channels, out_h, out_w), dtype=x.dtype, device=x.device)
    ratio_h = ratio_of(height, out_h, quarters_h, by_factor, align_corners)
    ratio_w = ratio_of(width, out_w, quarters_w, by_factor, align_corners)
    interpolate_kernel[(batch * channels * triton.cdiv(out_h * out_w, 512),)](
        x, y, height, width, out_w, out_h * out_w, ratio_h, ratio_w, MODE=mode, ALIGNED=bool(align_corners), BLOCK=512
    )
    return y
