"""Multi-head attention in plain PyTorch."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F


def forward(
    x: torch.Tensor,
    weight_in: torch.Tensor,
    bias_in: torch.Tensor,
    weight_out: torch.Tensor,
    bias_out: torch.Tensor,
    mask: torch.Tensor | None,
    heads: int,
) -> torch.Tensor:
    batch, tokens, features = x.shape
    projected = F.linear(x, weight_in, bias_in).view(batch, tokens, 3, heads, features // heads)
    query, key, value = projected.permute(2, 0, 3, 1, 4)
    scores = torch.matmul(query / math.sqrt(features // heads), key.transpose(2, 3))
    if mask is None:
        weights = torch.softmax(scores, dim=3)
    else:
        absent = ~mask[:, None, None, :]
        weights = torch.softmax(scores.masked_fill(absent, -torch.inf), dim=3)
        weights = weights.masked_fill(absent, 0)  # NaN where nobody is present
    gathered = torch.matmul(weights, value).transpose(1, 2).reshape(batch, tokens, features)
    return F.linear(gathered, weight_out, bias_out)
