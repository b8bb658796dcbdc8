"""A layer of experts, token by token: rank the experts by score and number, and run those chosen on the one vector."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    x, gate_up, down, top_k = inputs["x"], inputs["gate_up"], inputs["down"], inputs["top_k"]
    inner = down.shape[2]
    y = torch.zeros_like(x)
    ids = torch.empty(x.shape[0], top_k, dtype=torch.int32)
    weights = x.new_empty(x.shape[0], top_k)
    for token, scores in enumerate(inputs["router_logits"].tolist()):
        chosen = sorted(range(len(scores)), key=lambda expert: (-scores[expert], expert))[:top_k]
        total = math.fsum(math.exp(scores[expert] - scores[chosen[0]]) for expert in chosen)
        for place, expert in enumerate(chosen):
            weight = math.exp(scores[expert] - scores[chosen[0]]) / total
            gate, up = gate_up[expert, :inner].mv(x[token]), gate_up[expert, inner:].mv(x[token])
            y[token] += weight * down[expert].mv(gate / (1 + torch.exp(-gate)) * up)
            ids[token, place], weights[token, place] = expert, weight
    return {"y": y, "expert_ids": ids, "expert_weights": weights}
