"""The decay of Kimi delta attention: one program for each head of each token."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def kda_gate_kernel(
    g_ptr, a_ptr, bias_ptr, y_ptr, beta, threshold, heads, head_dim, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr
):
    token, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    channel = tl.arange(0, BLOCK)
    inside = channel < head_dim
    place = (token * heads + head) * head_dim + channel
    x = tl.load(g_ptr + place, mask=inside, other=0.0).to(tl.float32)
    if HAS_BIAS:
        x += tl.load(bias_ptr + head * head_dim + channel, mask=inside, other=0.0)
    scaled = beta * x
    softplus = tl.where(scaled > threshold, x, tl.log(1.0 + tl.exp(scaled)) / beta)
    tl.store(y_ptr + place, -tl.exp(tl.load(a_ptr + head)) * softplus, mask=inside)


def forward(
    g: torch.Tensor, a: torch.Tensor, head_dim: int, bias: torch.Tensor | None, beta: float, threshold: float
) -> torch.Tensor:
    batch, tokens, width = g.shape
    heads = width // head_dim
    y = torch.empty((batch, tokens, heads, head_dim), dtype=torch.float32, device=g.device)
    kda_gate_kernel[(batch * tokens, heads)](
        g,
        a,
        bias if bias is not None else a,
        y,
        beta,
        threshold,
        heads,
        head_dim,
        HAS_BIAS=bias is not None,
        BLOCK=triton.next_power_of_2(head_dim),
        num_warps=1,
    )
    return y
