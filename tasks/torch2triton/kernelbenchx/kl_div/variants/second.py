"""The Kullback-Leibler divergence as a cross entropy less the entropy of the targets."""

from __future__ import annotations

import torch


def reference(inputs):
    x, t, reduction = inputs["x"], inputs["t"], inputs["reduction"]
    entropy = -torch.exp(t) * t if inputs["log_target"] else torch.special.entr(t)
    loss = -entropy - (torch.exp(t) if inputs["log_target"] else t) * x
    if reduction == 0:
        return {"out": loss}
    return {"out": loss.sum().reshape(1, 1) / (1, 1, x.numel(), x.shape[0])[reduction]}
