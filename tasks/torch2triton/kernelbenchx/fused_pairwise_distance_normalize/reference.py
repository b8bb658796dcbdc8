"""Distances between all pairs of normalised vectors, by PyTorch, for some of the first vectors at a time."""

from __future__ import annotations

import torch
from torch.nn.functional import normalize

ROWS = 256


def reference(inputs):
    p, eps = inputs["p"], inputs["eps_norm"]
    x1, x2 = normalize(inputs["x1"], p=p, dim=1, eps=eps), normalize(inputs["x2"], p=p, dim=1, eps=eps)
    some = (torch.cdist(rows, x2, p=p, compute_mode="donot_use_mm_for_euclid_dist") for rows in x1.split(ROWS))
    return {"distance": torch.cat(list(some)).clamp(min=inputs["eps_distance"])}
