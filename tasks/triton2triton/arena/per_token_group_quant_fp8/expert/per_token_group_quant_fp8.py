"""Group-wise quantisation to fp8: a program takes many groups at once, one division a group instead of one an
element.

Groups are neighbours in memory, so a tile of them is one long run: 8192 elements keep enough bytes under way to hide
the latency of memory, which a program of 128 elements cannot. Small inputs get smaller tiles, so that every processor
has one.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

TILE = 8192  # elements a program
PROGRAMS = 512  # what fills a device


@triton.jit
def group_quant_kernel(
    x_ptr, q_ptr, scale_ptr, eps, groups, group_size, LARGEST: tl.constexpr, GROUPS: tl.constexpr, BLOCK: tl.constexpr
):
    group = tl.program_id(0) * GROUPS + tl.arange(0, GROUPS)
    column = tl.arange(0, BLOCK)
    inside = (group < groups)[:, None] & (column < group_size)[None, :]
    offsets = group.to(tl.int64)[:, None] * group_size + column[None, :]
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
    largest = tl.maximum(tl.max(tl.abs(x), axis=1), eps)
    q = tl.clamp(x * (LARGEST / largest)[:, None], -LARGEST, LARGEST)
    tl.store(q_ptr + offsets, q.to(q_ptr.dtype.element_ty), mask=inside)
    tl.store(scale_ptr + group, largest * (1.0 / LARGEST), mask=group < groups)


def forward(x: torch.Tensor, eps: float, group_size: int) -> tuple[torch.Tensor, torch.Tensor]:
    x = x.contiguous()
    tokens, hidden = x.shape
    q = torch.empty((tokens, hidden), dtype=torch.float8_e4m3fn, device=x.device)
    scales = torch.empty((tokens, hidden // group_size), dtype=torch.float32, device=x.device)
    block, groups = triton.next_power_of_2(group_size), scales.numel()
    tile_groups = max(1, min(TILE // block, triton.next_power_of_2(triton.cdiv(groups, PROGRAMS))))
    num_warps = max(1, min(8, tile_groups * block // 512))
    group_quant_kernel[(triton.cdiv(groups, tile_groups),)](
        x, q, scales, eps, groups, group_size, LARGEST=448.0, GROUPS=tile_groups, BLOCK=block, num_warps=num_warps
    )
    return q, scales
