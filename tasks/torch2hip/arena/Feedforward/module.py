"""The feed-forward half of a transformer block in plain PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def forward(
    x: torch.Tensor, weight_1: torch.Tensor, bias_1: torch.Tensor, weight_2: torch.Tensor, bias_2: torch.Tensor
) -> torch.Tensor:
    return F.linear(F.relu(F.linear(x, weight_1, bias_1)), weight_2, bias_2)
