"""Group-wise quantisation to fp8: one program takes sixteen groups."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def group_quant_kernel(
    x_ptr, q_ptr, scale_ptr, eps, groups, group_size, LARGEST: tl.constexpr, GROUPS: tl.constexpr, BLOCK: tl.constexpr
):
    group = tl.program_id(0) * GROUPS + tl.arange(0, GROUPS)
    column = tl.arange(0, BLOCK)
    inside = (group < groups)[:, None] & (column < group_size)[None, :]
    offsets = group.to(tl.int64)[:, None] * group_size + column[None, :]
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), axis=1), eps) / LARGEST
    q = tl.clamp(x / scale[:, None], -LARGEST, LARGEST)
    tl.store(q_ptr + offsets, q.to(q_ptr.dtype.element_ty), mask=inside)
    tl.store(scale_ptr + group, scale, mask=group < groups)


def forward(x: torch.Tensor, eps: float, group_size: int) -> tuple[torch.Tensor, torch.Tensor]:
    x = x.contiguous()
    tokens, hidden = x.shape
    q = torch.empty((tokens, hidden), dtype=torch.float8_e4m3fn, device=x.device)
    scales = torch.empty((tokens, hidden // group_size), dtype=torch.float32, device=x.device)
    groups = scales.numel()
    group_quant_kernel[(triton.cdiv(groups, 16),)](
        x, q, scales, eps, groups, group_size, LARGEST=448.0, GROUPS=16, BLOCK=triton.next_power_of_2(group_size)
    )
    return q, scales
