"""The loss of knowledge distillation, as training scripts write it, with its mean over the batch."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def forward(student: torch.Tensor, teacher: torch.Tensor, temperature: float) -> tuple[torch.Tensor, torch.Tensor]:
    log_q = F.log_softmax(student.float() / temperature, dim=1)
    p = F.softmax(teacher.float() / temperature, dim=1)
    losses = F.kl_div(log_q, p, reduction="none").sum(dim=1) * temperature**2
    return losses, losses.mean().reshape(1)
