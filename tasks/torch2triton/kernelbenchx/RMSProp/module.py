"""One step of RMSProp, in plain PyTorch, in place."""

from __future__ import annotations

import torch


def forward(
    param: torch.Tensor,
    grad: torch.Tensor,
    square: torch.Tensor,
    mean: torch.Tensor,
    buf: torch.Tensor,
    lr: float,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
    centered: int,
    heavy: int,
    maximize: int,
) -> tuple[torch.Tensor, ...]:
    grad = grad.float()
    if maximize:
        grad = -grad
    grad = grad.add(param, alpha=weight_decay)
    square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
    if centered:
        mean.lerp_(grad, 1 - alpha)
        root = square.addcmul(mean, mean, value=-1).sqrt_()
    else:
        root = square.sqrt()
    root.add_(eps)
    if heavy:
        buf.mul_(momentum).addcdiv_(grad, root)
        param.add_(buf, alpha=-lr)
    else:
        param.addcdiv_(grad, root, value=-lr)
    return param, square, mean, buf
