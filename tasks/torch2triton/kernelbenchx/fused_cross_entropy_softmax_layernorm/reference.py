"""The cross entropy of logits and the normalised rows of their softmax, by PyTorch."""

from __future__ import annotations

import torch
from torch.nn.functional import cross_entropy, layer_norm


def reference(inputs):
    x = inputs["x"]
    loss = cross_entropy(
        x,
        inputs["target"],
        weight=inputs["weight"],
        ignore_index=inputs["ignore_index"],
        reduction="mean" if inputs["mean"] else "none",
        label_smoothing=inputs["label_smoothing"],
    )
    y = layer_norm(torch.softmax(x, dim=-1), x.shape[-1:], eps=inputs["eps"])
    return {"loss": loss.reshape(-1), "y": y}
