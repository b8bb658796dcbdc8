"""A position-wise feed-forward layer with residual connection and layer norm, as the first transformers have it."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def forward(
    x: torch.Tensor,
    weight_1: torch.Tensor,
    bias_1: torch.Tensor,
    weight_2: torch.Tensor,
    bias_2: torch.Tensor,
    gamma: torch.Tensor,
    beta: torch.Tensor,
    eps: float,
) -> torch.Tensor:
    out = F.linear(F.relu(F.linear(x, weight_1, bias_1)), weight_2, bias_2)
    return F.layer_norm(out + x, gamma.shape, gamma, beta, eps)
