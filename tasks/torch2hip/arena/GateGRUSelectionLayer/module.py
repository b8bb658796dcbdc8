"""The gate of a GRU in place of a residual connection, in plain PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def forward(
    x_1: torch.Tensor,
    x_2: torch.Tensor,
    reset_weight: torch.Tensor,
    reset_bias: torch.Tensor,
    update_weight: torch.Tensor,
    update_bias: torch.Tensor,
    proposal_weight: torch.Tensor,
    proposal_bias: torch.Tensor,
) -> torch.Tensor:
    both = torch.cat((x_1, x_2), dim=-1)
    reset = torch.sigmoid(F.linear(both, reset_weight, reset_bias))
    update = torch.sigmoid(F.linear(both, update_weight, update_bias))
    proposal = torch.tanh(F.linear(torch.cat((reset * x_1, x_2), dim=-1), proposal_weight, proposal_bias))
    return (1 - update) * x_1 + update * proposal
