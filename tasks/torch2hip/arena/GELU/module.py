"""GELU as its formula says, operation by operation, as many models have it."""

from __future__ import annotations

import math

import torch


def forward(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))
