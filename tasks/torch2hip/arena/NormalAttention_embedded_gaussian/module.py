"""Attention between pixels with an embedded Gaussian, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(
    x: torch.Tensor,
    query_weight: torch.Tensor,
    query_bias: torch.Tensor,
    key_weight: torch.Tensor,
    value_weight: torch.Tensor,
    value_bias: torch.Tensor,
    gamma_weight: torch.Tensor,
    gamma_bias: torch.Tensor,
) -> torch.Tensor:
    pixels = x.flatten(2)
    query = torch.matmul(query_weight, pixels) + query_bias[:, None]
    key = torch.matmul(key_weight, pixels)
    value = torch.matmul(value_weight, pixels) + value_bias[:, None]
    share = torch.softmax(torch.bmm(query.transpose(1, 2), key), dim=2)
    gathered = torch.bmm(value, share)
    y = torch.matmul(gamma_weight, gathered) + gamma_bias[:, None]
    return y.view(x.shape)
