"""The two gates of a gated delta network, by PyTorch's operators."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["a"] + inputs["dt_bias"]
    softplus = torch.nn.functional.softplus(x, beta=inputs["beta"], threshold=inputs["threshold"])
    return {"g": (-inputs["a_log"].exp() * softplus)[None], "gate": torch.sigmoid(inputs["b"])[None]}
