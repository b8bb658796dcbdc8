"""GELU as its formula says, operation by operation, in float32."""

from __future__ import annotations

import math

import torch


def forward(x: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    return (0.5 * wide * (1 + torch.erf(wide / math.sqrt(2)))).to(x.dtype)
