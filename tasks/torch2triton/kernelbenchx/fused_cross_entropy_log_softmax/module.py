"""The cross entropy of logarithms of a softmax, in plain PyTorch."""

from __future__ import annotations

import torch
from torch.nn import functional


def forward(
    x: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None,
    ignore_index: int, label_smoothing: float, dim: int, mean: int,
) -> torch.Tensor:  # fmt: skip
    logs = functional.log_softmax(x, dim=dim, dtype=torch.float32)
    loss = functional.cross_entropy(
        logs,
        target,
        weight=weight,
        ignore_index=ignore_index,
        reduction="mean" if mean else "none",
        label_smoothing=label_smoothing,
    )
    return loss.reshape(-1)
