"""The decay of Kimi delta attention, by PyTorch's operators."""

from __future__ import annotations

import torch


def reference(inputs):
    g, bias = inputs["g"], inputs["bias"]
    x = g if bias is None else g + bias
    softplus = torch.nn.functional.softplus(x, beta=inputs["beta"], threshold=inputs["threshold"])
    return {"y": -inputs["a"].exp()[:, None] * softplus.unflatten(-1, (-1, inputs["head_dim"]))}
