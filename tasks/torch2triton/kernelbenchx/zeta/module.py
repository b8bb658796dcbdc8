"""The Hurwitz zeta function, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(s: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    return torch.special.zeta(s, q)
