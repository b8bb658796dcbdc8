"""Residual addition and RMS normalisation, written out in PyTorch."""

from __future__ import annotations

import torch


def forward(
    x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float
) -> tuple[torch.Tensor, torch.Tensor]:
    total = x.float() + residual.float()
    scale = torch.rsqrt(total.square().mean(dim=-1, keepdim=True) + eps)
    return (total * scale * weight.float()).to(x.dtype), total.to(x.dtype)
