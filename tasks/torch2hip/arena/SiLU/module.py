"""SiLU the way it is written in many models: two PyTorch operations, so two kernels and an intermediate tensor."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor) -> torch.Tensor:
    return x * torch.sigmoid(x)
