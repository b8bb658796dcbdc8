"""The cross entropy from the costs of all classes, and the softmax less its mean, which is known: 1 / classes."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    target, smoothing, classes = inputs["target"], inputs["label_smoothing"], x.shape[1]
    weight = torch.ones(classes, dtype=x.dtype, device=x.device) if inputs["weight"] is None else inputs["weight"]
    costs = weight * (x.logsumexp(1, keepdim=True) - x)
    is_kept = target != inputs["ignore_index"]
    place = torch.where(is_kept, target, 0)
    loss = (1 - smoothing) * costs.gather(1, place[:, None])[:, 0]
    if smoothing:
        loss = loss + smoothing * costs.mean(1)
    loss = torch.where(is_kept, loss, 0.0)
    if inputs["mean"]:
        loss = (loss.sum() / torch.where(is_kept, weight[place], 0.0).sum()).reshape(1)
    terms = torch.exp(x - x.amax(1, keepdim=True))
    away = terms / terms.sum(1, keepdim=True) - 1 / classes
    return {"loss": loss, "y": away / torch.sqrt((away**2).mean(1, keepdim=True) + inputs["eps"])}
