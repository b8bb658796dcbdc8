"""Distances between the rows of two tensors, divided by their norm, by PyTorch."""

from __future__ import annotations

from torch.nn.functional import normalize, pairwise_distance


def reference(inputs):
    distance = pairwise_distance(inputs["x1"], inputs["x2"], p=inputs["p_distance"], eps=inputs["eps_distance"])
    return {"out": normalize(distance, p=inputs["p_norm"], dim=inputs["dim_norm"], eps=inputs["eps_norm"])}
