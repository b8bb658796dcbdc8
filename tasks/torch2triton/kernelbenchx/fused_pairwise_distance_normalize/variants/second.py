"""Distances between all pairs of normalised vectors, as sums over the features, one after the other."""

from __future__ import annotations

import torch


def reference(inputs):
    p = inputs["p"]
    x1, x2 = (
        x / torch.clamp((x.abs() ** p).sum(1, keepdim=True) ** (1 / p), min=inputs["eps_norm"])
        for x in (inputs["x1"], inputs["x2"])
    )
    total = torch.zeros(len(x1), len(x2), dtype=x1.dtype, device=x1.device)
    for one, other in zip(x1.unbind(1), x2.unbind(1), strict=True):
        total += (one[:, None] - other).abs() ** p
    return {"distance": torch.clamp(total ** (1 / p), min=inputs["eps_distance"])}
