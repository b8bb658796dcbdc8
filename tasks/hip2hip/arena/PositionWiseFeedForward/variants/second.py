"""Two linear layers, a residual connection and a layer norm: block by block of the hidden layer, moments by hand."""

from __future__ import annotations

import torch

BLOCK = 16


def reference(inputs):
    total = inputs["x"] + inputs["bias_2"]
    for first in range(0, len(inputs["bias_1"]), BLOCK):
        part = slice(first, first + BLOCK)
        grown = torch.einsum("tf,hf->th", inputs["x"], inputs["weight_1"][part]) + inputs["bias_1"][part]
        total += torch.einsum("th,fh->tf", grown.clamp(min=0), inputs["weight_2"][:, part])
    features = total.shape[1]
    centred = total - total.sum(dim=1, keepdim=True) / features
    variance = torch.einsum("tf,tf->t", centred, centred)[:, None] / features
    return {"y": torch.addcmul(inputs["beta"], centred / (variance + inputs["eps"]).sqrt(), inputs["gamma"])}
