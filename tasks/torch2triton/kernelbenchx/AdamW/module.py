"""One step of AdamW, in plain PyTorch, in place."""

from __future__ import annotations

import torch


def forward(
    param: torch.Tensor,
    grad: torch.Tensor,
    m: torch.Tensor,
    v: torch.Tensor,
    max_v: torch.Tensor,
    step: int,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    weight_decay: float,
    amsgrad: int,
    maximize: int,
) -> tuple[torch.Tensor, ...]:
    grad = grad.float()
    if maximize:
        grad = -grad
    param.mul_(1 - lr * weight_decay)
    m.lerp_(grad, 1 - beta1)
    v.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    square = torch.maximum(max_v, v, out=max_v) if amsgrad else v
    root = (square.sqrt() / (1 - beta2**step) ** 0.5).add_(eps)
    param.addcdiv_(m, root, value=-lr / (1 - beta1**step))
    return param, m, v, max_v
