"""A vector less a multiple of another, in fractions, which are exact, one element at a time."""

from __future__ import annotations

from fractions import Fraction

import torch


def reference(inputs):
    factor = Fraction(inputs["factor"])
    pairs = zip(inputs["x"].tolist(), inputs["y"].tolist(), strict=True)
    return {"out": torch.tensor([float(Fraction(x) - factor * Fraction(y)) for x, y in pairs], dtype=torch.float64)}
