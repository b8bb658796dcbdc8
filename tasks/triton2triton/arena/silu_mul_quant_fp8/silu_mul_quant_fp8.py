"""silu(gate) * up, quantised to fp8 in groups of 128 columns: one program takes 8 tokens of one group."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

GROUP = 128


@triton.jit
def silu_mul_quant_kernel(
    x_ptr, q_ptr, scale_ptr, eps, tokens, hidden, LARGEST: tl.constexpr, TOKENS: tl.constexpr, GROUP: tl.constexpr
):
    token = tl.program_id(0).to(tl.int64) * TOKENS + tl.arange(0, TOKENS)
    group = tl.program_id(1)
    column = group * GROUP + tl.arange(0, GROUP)
    inside = (token < tokens)[:, None]
    start = x_ptr + token[:, None] * 2 * hidden + column[None, :]
    gate = tl.load(start, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(start + hidden, mask=inside, other=0.0).to(tl.float32)
    v = gate / (1.0 + tl.exp(-gate)) * up
    scale = tl.maximum(tl.max(tl.abs(v), axis=1), eps) / LARGEST
    q = tl.clamp(v / scale[:, None], -LARGEST, LARGEST)
    tl.store(q_ptr + token[:, None] * hidden + column[None, :], q.to(q_ptr.dtype.element_ty), mask=inside)
    tl.store(scale_ptr + group.to(tl.int64) * tokens + token, scale, mask=token < tokens)


def forward(x: torch.Tensor, eps: float) -> tuple[torch.Tensor, torch.Tensor]:
    x = x.contiguous()
    tokens, hidden = x.shape[0], x.shape[1] // 2
    q = torch.empty((tokens, hidden), dtype=torch.float8_e4m3fn, device=x.device)
    scales = torch.empty((hidden // GROUP, tokens), dtype=torch.float32, device=x.device)
    grid = (triton.cdiv(tokens, 8), hidden // GROUP)
    silu_mul_quant_kernel[grid](x, q, scales, eps, tokens, hidden, LARGEST=448.0, TOKENS=8, GROUP=GROUP)
    return q, scales
