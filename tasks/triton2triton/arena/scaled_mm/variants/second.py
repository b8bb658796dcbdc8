"""The scaled product, one row after another, scaled after the sum."""

from __future__ import annotations

import torch


def reference(inputs):
    a, b, bias = inputs["a"], inputs["b"], inputs["bias"]
    rows = [
        (row[:, None] * b).sum(0) * scale * inputs["b_scale"] for row, scale in zip(a, inputs["a_scale"], strict=True)
    ]
    out = torch.stack(rows)
    return {"out": out if bias is None else out + bias}
