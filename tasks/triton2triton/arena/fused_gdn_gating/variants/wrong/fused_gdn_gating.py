"""The two gates of a gated delta network, but the threshold is compared with x before it is multiplied by beta."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def gdn_gating_kernel(
    a_log_ptr, a_ptr, b_ptr, dt_bias_ptr, g_ptr, gate_ptr, beta, threshold, heads, BLOCK: tl.constexpr
):
    head = tl.arange(0, BLOCK)
    inside = head < heads
    place = tl.program_id(0).to(tl.int64) * heads + head
    a = tl.load(a_ptr + place, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + place, mask=inside, other=0.0).to(tl.float32)
    decay = tl.exp(tl.load(a_log_ptr + head, mask=inside, other=0.0))
    x = a + tl.load(dt_bias_ptr + head, mask=inside, other=0.0)
    scaled = beta * x
    softplus = tl.where(x > threshold, x, tl.log(1.0 + tl.exp(scaled)) / beta)
    tl.store(g_ptr + place, -decay * softplus, mask=inside)
    tl.store(gate_ptr + place, tl.sigmoid(b).to(gate_ptr.dtype.element_ty), mask=inside)


def forward(
    a_log: torch.Tensor, a: torch.Tensor, b: torch.Tensor, dt_bias: torch.Tensor, beta: float, threshold: float
) -> tuple[torch.Tensor, torch.Tensor]:
    tokens, heads = a.shape
    g = torch.empty((1, tokens, heads), dtype=torch.float32, device=a.device)
    gate = torch.empty((1, tokens, heads), dtype=b.dtype, device=b.device)
    block = triton.next_power_of_2(heads)
    gdn_gating_kernel[(tokens,)](a_log, a, b, dt_bias, g, gate, beta, threshold, heads, BLOCK=block, num_warps=1)
    return g, gate
