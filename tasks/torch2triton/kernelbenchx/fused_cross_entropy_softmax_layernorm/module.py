"""The cross entropy of logits and the normalised rows of their softmax, in plain PyTorch."""

from __future__ import annotations

import torch
from torch.nn import functional


def forward(
    x: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None,
    ignore_index: int, label_smoothing: float, mean: int, eps: float,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    loss = functional.cross_entropy(
        x.float(),
        target,
        weight=weight,
        ignore_index=ignore_index,
        reduction="mean" if mean else "none",
        label_smoothing=label_smoothing,
    )
    shares = functional.softmax(x, dim=-1, dtype=torch.float32)
    return loss.reshape(-1), functional.layer_norm(shares, shares.shape[-1:], eps=eps).to(x.dtype)
