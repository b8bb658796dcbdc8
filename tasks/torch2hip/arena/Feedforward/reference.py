"""Two linear layers with a ReLU between, by PyTorch."""

from __future__ import annotations

import torch


def reference(inputs):
    hidden = torch.relu(torch.nn.functional.linear(inputs["x"], inputs["weight_1"], inputs["bias_1"]))
    return {"y": torch.nn.functional.linear(hidden, inputs["weight_2"], inputs["bias_2"])}
