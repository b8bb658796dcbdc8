"""Cross entropy with label smoothing, as training scripts write it, with its mean over the rows that count."""

from __future__ import annotations

import torch
import torch.nn.functional as F

PADDING = -100


def forward(logits: torch.Tensor, target: torch.Tensor, smoothing: float) -> tuple[torch.Tensor, torch.Tensor]:
    losses = F.cross_entropy(logits.float(), target, ignore_index=PADDING, label_smoothing=smoothing, reduction="none")
    counted = (target != PADDING).sum().clamp(min=1)
    return losses, (losses.sum() / counted).reshape(1)
