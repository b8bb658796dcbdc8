"""The reduced QR factorisation of a batch of matrices, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    q, r = torch.linalg.qr(a, mode="reduced")
    return q.contiguous(), r.contiguous()
