"""Slices of a tensor by their numbers, cut out one at a time."""

from __future__ import annotations

import torch


def reference(inputs):
    x, dim = inputs["x"], inputs["dim"]
    return {"out": torch.cat([x.narrow(dim, number, 1) for number in inputs["index"].tolist()], dim)}
