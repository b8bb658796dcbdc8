"""Group-wise quantisation to int8: one program a group finds its largest value, then divides and cuts off."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def group_quant_kernel(x_ptr, q_ptr, scale_ptr, eps, group_size, BLOCK: tl.constexpr):
    group = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    inside = lanes < group_size
    x = tl.load(x_ptr + group * group_size + lanes, mask=inside, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), axis=0), eps) / 127.0
    q = tl.clamp(x / scale, -127.0, 127.0)
    tl.store(q_ptr + group * group_size + lanes, q.to(tl.int8), mask=inside)
    tl.store(scale_ptr + group, scale)


def forward(x: torch.Tensor, eps: float, group_size: int) -> tuple[torch.Tensor, torch.Tensor]:
    x = x.contiguous()
    tokens, hidden = x.shape
    q = torch.empty((tokens, hidden), dtype=torch.int8, device=x.device)
    scales = torch.empty((tokens, hidden // group_size), dtype=torch.float32, device=x.device)
    block = triton.next_power_of_2(group_size)
    group_quant_kernel[(scales.numel(),)](x, q, scales, eps, group_size, BLOCK=block)
    return q, scales
