"""A multilayer perceptron of seven layers in plain PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def forward(
    x: torch.Tensor,
    weight_1: torch.Tensor,
    bias_1: torch.Tensor,
    weight_2: torch.Tensor,
    bias_2: torch.Tensor,
    weight_3: torch.Tensor,
    bias_3: torch.Tensor,
    weight_4: torch.Tensor,
    bias_4: torch.Tensor,
    weight_5: torch.Tensor,
    bias_5: torch.Tensor,
    weight_6: torch.Tensor,
    bias_6: torch.Tensor,
    weight_7: torch.Tensor,
    bias_7: torch.Tensor,
) -> torch.Tensor:
    x = F.relu(F.linear(x, weight_1, bias_1))
    x = F.relu(F.linear(x, weight_2, bias_2))
    x = F.relu(F.linear(x, weight_3, bias_3))
    x = F.relu(F.linear(x, weight_4, bias_4))
    x = F.relu(F.linear(x, weight_5, bias_5))
    x = F.relu(F.linear(x, weight_6, bias_6))
    return F.linear(x, weight_7, bias_7)
