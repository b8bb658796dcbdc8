"""Singular values and vectors of a batch of matrices, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(a: torch.Tensor, full: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    u, s, vh = torch.linalg.svd(a, full_matrices=bool(full))
    return u.contiguous(), s.contiguous(), vh.contiguous()
