"""Attention between pixels with an ELU in place of the softmax, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(
    x: torch.Tensor,
    query_weight: torch.Tensor,
    query_bias: torch.Tensor,
    key_weight: torch.Tensor,
    key_bias: torch.Tensor,
    value_weight: torch.Tensor,
    value_bias: torch.Tensor,
    gamma_weight: torch.Tensor,
    gamma_bias: torch.Tensor,
) -> torch.Tensor:
    pixels = x.flatten(2)
    query = torch.matmul(query_weight, pixels) + query_bias[:, None]
    key = torch.matmul(key_weight, pixels) + key_bias[:, None]
    value = torch.matmul(value_weight, pixels) + value_bias[:, None]
    energy = torch.nn.functional.elu(torch.bmm(query.transpose(1, 2), key))
    gathered = torch.bmm(value, energy / pixels.shape[2])
    y = torch.matmul(gamma_weight, gathered) + gamma_bias[:, None]
    return y.view(x.shape)
