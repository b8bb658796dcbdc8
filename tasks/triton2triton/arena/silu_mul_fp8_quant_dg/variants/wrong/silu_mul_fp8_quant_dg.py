"""silu(gate) * up of each expert, quantised to fp8, with one row too many: the first that holds no token."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

EPS = 1e-10


@triton.jit
def silu_mul_experts_kernel(
    y_ptr,
    counts_ptr,
    q_ptr,
    scale_ptr,
    y_stride_expert,
    y_stride_token,
    tokens,
    groups,
    group_size,
    eps,
    LARGEST: tl.constexpr,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    expert = tl.program_id(2).to(tl.int64)
    token = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    group = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    columns = group * group_size + lanes
    hidden = groups * group_size
    count = tl.minimum(tl.load(counts_ptr + expert) + 1, tokens)
    has_token = (token < count)[:, None] & (lanes < group_size)[None, :]
    start = y_ptr + expert * y_stride_expert + token.to(tl.int64)[:, None] * y_stride_token + columns[None, :]
    gate = tl.load(start, mask=has_token, other=0.0).to(tl.float32)
    up = tl.load(start + hidden, mask=has_token, other=0.0).to(tl.float32)
    v = gate / (1.0 + tl.exp(-gate)) * up
    scale = tl.maximum(tl.max(tl.abs(v), axis=1), eps) / LARGEST
    q = tl.clamp(v / scale[:, None], -LARGEST, LARGEST)
    inside = (token < tokens)[:, None] & (lanes < group_size)[None, :]
    row = expert * tokens + token
    tl.store(q_ptr + row[:, None] * hidden + columns[None, :], q.to(q_ptr.dtype.element_ty), mask=inside)
    scale = tl.where(token < count, scale, 0.0)
    tl.store(scale_ptr + (expert * groups + group) * tokens + token, scale, mask=token < tokens)


def forward(y: torch.Tensor, counts: torch.Tensor, group_size: int) -> tuple[torch.Tensor, torch.Tensor]:
    experts, tokens, hidden = y.shape[0], y.shape[1], y.shape[2] // 2
    groups = hidden // group_size
    q = torch.empty((experts, tokens, hidden), dtype=torch.float8_e4m3fn, device=y.device)
    scales = torch.empty((experts, groups, tokens), dtype=torch.float32, device=y.device)
    silu_mul_experts_kernel[(groups, triton.cdiv(tokens, 16), experts)](
        y,
        counts,
        q,
        scales,
        y.stride(0),
        y.stride(1),
        tokens,
        groups,
        group_size,
        EPS,
        LARGEST=448.0,
        ROWS=16,
        BLOCK=triton.next_power_of_2(group_size),
    )
    return q, scales
