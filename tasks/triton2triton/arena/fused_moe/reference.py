"""A layer of experts: choose by a stable sort, then run every expert on the tokens that chose it."""

from __future__ import annotations

import torch
from torch.nn import functional


def reference(inputs):
    x, gate_up, down = inputs["x"], inputs["gate_up"], inputs["down"]
    order = torch.sort(inputs["router_logits"], dim=1, descending=True, stable=True)
    ids, weights = order.indices[:, : inputs["top_k"]], order.values[:, : inputs["top_k"]].softmax(dim=1)
    y, inner = torch.zeros_like(x), down.shape[2]
    for expert in range(down.shape[0]):
        token, place = (ids == expert).nonzero(as_tuple=True)
        up = x[token] @ gate_up[expert].T
        result = (functional.silu(up[:, :inner]) * up[:, inner:]) @ down[expert].T
        y.index_add_(0, token, weights[token, place, None] * result)
    return {"y": y, "expert_ids": ids.int(), "expert_weights": weights}
