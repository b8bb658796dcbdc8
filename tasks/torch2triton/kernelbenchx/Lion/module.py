"""One step of Lion, in plain PyTorch, in place."""

from __future__ import annotations

import torch


def forward(
    param: torch.Tensor,
    grad: torch.Tensor,
    m: torch.Tensor,
    lr: float,
    beta1: float,
    beta2: float,
    weight_decay: float,
) -> tuple[torch.Tensor, ...]:
    grad = grad.float()
    direction = m.mul(beta1).add_(grad, alpha=1 - beta1).sign_()
    param.mul_(1 - lr * weight_decay).add_(direction, alpha=-lr)
    m.mul_(beta2).add_(grad, alpha=1 - beta2)
    return param, m
