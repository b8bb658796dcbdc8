"""What becomes of each token of each row, by the sets and the table of biases of its request."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    listed = {name: value.tolist() for name, value in inputs.items()}
    rows = []
    for logits, slot, position in zip(listed["logits"], listed["slot"], listed["position"], strict=True):
        allowed, ids, stop = (
            listed[f"{part}_ids"][slot][: listed[f"{part}_count"][slot]] for part in ("allowed", "bias", "stop")
        )
        bias = dict(zip(ids, listed["bias"][slot][: len(ids)], strict=True))
        banned = set(stop) if position < listed["least_length"][slot] else set()
        kept = set(allowed or range(len(logits))) - banned
        rows.append(
            [logit + bias.get(token, 0.0) if token in kept else -math.inf for token, logit in enumerate(logits)]
        )
    return {"biased": torch.tensor(rows, dtype=torch.float64)}
