"""The cross entropy of classes from the logarithm of a sum of exponentials, with what is smooth written out."""

from __future__ import annotations

import torch


def reference(inputs):
    x, t, weight, smoothing = inputs["x"], inputs["t"], inputs["weight"], inputs["label_smoothing"]
    kept = t != inputs["ignore_index"]
    weight = x.new_ones(x.shape[1]) if weight is None else weight
    surprise = torch.logsumexp(x, 1, keepdim=True) - x
    target = torch.where(kept, t, 0)
    share = torch.where(kept, weight[target], 0.0)
    loss = share * surprise.gather(1, target[:, None])[:, 0]
    if smoothing > 0:
        even = torch.einsum("c,ncp->np", weight, surprise) / x.shape[1]
        loss = (1 - smoothing) * loss + smoothing * even
    loss = torch.where(kept, loss, 0.0)
    if inputs["reduction"] == 0:
        return {"out": loss}
    return {"out": loss.sum().reshape(1, 1) / (share.sum() if inputs["reduction"] == 2 else 1)}
