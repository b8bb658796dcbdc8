"""Group-wise quantisation to fp8 that writes its scales in rows, as they are computed, and not in columns."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def group_quant_colmajor_kernel(
    x_ptr,
    q_ptr,
    scale_ptr,
    x_stride,
    eps,
    tokens,
    groups,
    group_size,
    LARGEST: tl.constexpr,
    UE8M0: tl.constexpr,
    BLOCK: tl.constexpr,
):
    token = tl.program_id(0).to(tl.int64) // groups
    group = tl.program_id(0).to(tl.int64) % groups
    lanes = tl.arange(0, BLOCK)
    inside = lanes < group_size
    columns = group * group_size + lanes
    x = tl.load(x_ptr + token * x_stride + columns, mask=inside, other=0.0).to(tl.float32)
    scale = tl.div_rn(tl.maximum(tl.max(tl.abs(x), axis=0), eps), LARGEST)
    if UE8M0:
        bits = scale.to(tl.int32, bitcast=True)
        scale = ((bits + 0x7FFFFF) & 0x7F800000).to(tl.float32, bitcast=True)  # up to the next power of two
    q = tl.clamp(x / scale, -LARGEST, LARGEST)
    tl.store(q_ptr + token * groups * group_size + columns, q.to(q_ptr.dtype.element_ty), mask=inside)
    tl.store(scale_ptr + token * groups + group, scale)


def forward(x: torch.Tensor, eps: float, group_size: int, ue8m0: int) -> tuple[torch.Tensor, torch.Tensor]:
    tokens, hidden = x.shape
    groups = hidden // group_size
    q = torch.empty((tokens, hidden), dtype=torch.float8_e4m3fn, device=x.device)
    scales = torch.empty((groups, tokens), dtype=torch.float32, device=x.device)
    group_quant_colmajor_kernel[(tokens * groups,)](
        x,
        q,
        scales,
        x.stride(0),
        eps,
        tokens,
        groups,
        group_size,
        LARGEST=448.0,
        UE8M0=bool(ue8m0),
        BLOCK=triton.next_power_of_2(group_size),
    )
    return q, scales
