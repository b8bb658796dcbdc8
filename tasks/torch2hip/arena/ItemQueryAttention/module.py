"""Attention of queries to items, where tanh comes before the sum, in plain PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def forward(query: torch.Tensor, item: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    projected_query = F.linear(query, weight, bias)[:, None, :, None, :]
    projected_item = F.linear(item, weight, bias)[None, :, None, :, :]
    scores = torch.tanh(projected_query * projected_item).sum(dim=4)
    return torch.matmul(torch.softmax(scores, dim=3), item)
