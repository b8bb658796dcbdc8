"""One step of SGD, in plain PyTorch, in place."""

from __future__ import annotations

import torch


def forward(
    param: torch.Tensor,
    grad: torch.Tensor,
    buf: torch.Tensor,
    lr: float,
    momentum: float,
    dampening: float,
    weight_decay: float,
    heavy: int,
    first: int,
    nesterov: int,
    maximize: int,
) -> tuple[torch.Tensor, ...]:
    grad = grad.float()
    if maximize:
        grad = -grad
    grad = grad.add(param, alpha=weight_decay)
    if heavy:
        if first:
            buf.copy_(grad)
        else:
            buf.mul_(momentum).add_(grad, alpha=1 - dampening)
        grad = grad.add(buf, alpha=momentum) if nesterov else buf
    param.add_(grad, alpha=-lr)
    return param, buf
