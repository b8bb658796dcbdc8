"""The sum of two vectors, one Python number at a time."""

from __future__ import annotations

import torch


def reference(inputs):
    pairs = zip(inputs["lhs"].tolist(), inputs["rhs"].tolist(), strict=True)
    return {"out": torch.tensor([one + other for one, other in pairs], dtype=torch.float64)}
