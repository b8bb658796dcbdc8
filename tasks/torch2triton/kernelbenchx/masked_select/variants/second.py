"""The elements at which a mask is true, picked one at a time."""

from __future__ import annotations

import torch


def reference(inputs):
    x, mask = inputs["x"], inputs["mask"].expand_as(inputs["x"])
    rows = zip(x.tolist(), mask.tolist(), strict=True)
    chosen = [value for values, marks in rows for value, mark in zip(values, marks, strict=True) if mark]
    return {"out": torch.tensor(chosen, dtype=x.dtype)}
