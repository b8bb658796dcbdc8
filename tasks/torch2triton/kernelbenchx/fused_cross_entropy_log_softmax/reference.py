"""The cross entropy of logarithms of a softmax, by PyTorch."""

from __future__ import annotations

import torch
from torch.nn.functional import cross_entropy


def reference(inputs):
    loss = cross_entropy(
        torch.log_softmax(inputs["x"], dim=inputs["dim"]),
        inputs["target"],
        weight=inputs["weight"],
        ignore_index=inputs["ignore_index"],
        reduction="mean" if inputs["mean"] else "none",
        label_smoothing=inputs["label_smoothing"],
    )
    return {"loss": loss.reshape(-1)}
