"""The gate of a GRU between a layer's input and its output, by PyTorch."""

from __future__ import annotations

import torch
from torch.nn import functional


def reference(inputs):
    x_1, x_2 = inputs["x_1"], inputs["x_2"]
    both = torch.cat([x_1, x_2], dim=-1)
    reset = torch.sigmoid(functional.linear(both, inputs["reset_weight"], inputs["reset_bias"]))
    update = torch.sigmoid(functional.linear(both, inputs["update_weight"], inputs["update_bias"]))
    kept = torch.cat([reset * x_1, x_2], dim=-1)
    proposal = torch.tanh(functional.linear(kept, inputs["proposal_weight"], inputs["proposal_bias"]))
    return {"y": (1 - update) * x_1 + update * proposal}
