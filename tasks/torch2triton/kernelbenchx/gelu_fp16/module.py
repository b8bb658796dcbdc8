"""The GELU in float16, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(x: torch.Tensor, approximate: int) -> torch.Tensor:
    return torch.nn.functional.gelu(x, approximate="tanh" if approximate else "none")
