"""The gate of a GRU between a layer's input and its output: halves of the weights apart, gates by tanh and by exp."""

from __future__ import annotations

import torch


def reference(inputs):
    x_1, x_2 = inputs["x_1"], inputs["x_2"]

    def sums(gate, first):
        left, right = inputs[f"{gate}_weight"].tensor_split(2, dim=1)
        return torch.einsum("tf,of->to", first, left) + torch.einsum("tf,of->to", x_2, right) + inputs[f"{gate}_bias"]

    reset = (1 + torch.tanh(sums("reset", x_1) / 2)) / 2
    odds = sums("update", x_1)
    away = torch.exp(-torch.logaddexp(torch.zeros_like(odds), odds))  # 1 - update
    proposal = sums("proposal", reset * x_1)
    decay = torch.exp(-2 * proposal.abs())
    return {"y": away * x_1 + (1 - away) * proposal.sign() * (1 - decay) / (1 + decay)}
