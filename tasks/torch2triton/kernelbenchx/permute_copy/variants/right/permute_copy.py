"""A copy with dimensions in another order: tiles of the output's last dimension and of the one with the shortest step.

Dimensions of length 1 apart, the input's runs are written across a tile and the output's runs along it, so that neither
side touches memory element by element.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def permute_kernel(
    x_ptr,
    out_ptr,
    count_b,
    across,
    along,
    x_a,
    x_b,
    x_across,
    x_along,
    out_a,
    out_b,
    out_across,
    ACROSS: tl.constexpr,
    ALONG: tl.constexpr,
):
    rest = tl.program_id(0).to(tl.int64)
    tiles = tl.cdiv(along, ALONG)
    i = (rest % tiles * ALONG + tl.arange(0, ALONG))[None, :]
    rest //= tiles
    tiles = tl.cdiv(across, ACROSS)
    j = (rest % tiles * ACROSS + tl.arange(0, ACROSS))[:, None]
    rest //= tiles
    a, b = rest // count_b, rest % count_b
    inside = (j < across) & (i < along)
    x = tl.load(x_ptr + a * x_a + b * x_b + j * x_across + i * x_along, mask=inside)
    tl.store(out_ptr + a * out_a + b * out_b + j * out_across + i, x, mask=inside)


def forward(x: torch.Tensor, p0: int, p1: int, p2: int, p3: int) -> torch.Tensor:
    view = x.permute(p0, p1, p2, p3)
    out = torch.empty(view.shape, dtype=x.dtype, device=x.device)
    sizes, steps, places = view.shape, view.stride(), out.stride()
    across = min(range(3), key=lambda dim: (sizes[dim] == 1, steps[dim]))
    a, b = (dim for dim in range(3) if dim != across)
    is_copy = steps[3] <= steps[across] or sizes[across] == 1
    wide = min(1024 if is_copy else 32, triton.next_power_of_2(sizes[3]))
    high = min(1024 // wide, triton.next_power_of_2(sizes[across]))
    grid = (sizes[a] * sizes[b] * triton.cdiv(sizes[across], high) * triton.cdiv(sizes[3], wide),)
    permute_kernel[grid](
        x,
        out,
        sizes[b],
        sizes[across],
        sizes[3],
        steps[a],
        steps[b],
        steps[across],
        steps[3],
        places[a],
        places[b],
        places[across],
        ACROSS=high,
        ALONG=wide,
    )
    return out
