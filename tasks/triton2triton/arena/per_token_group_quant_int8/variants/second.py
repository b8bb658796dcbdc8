"""Group-wise quantisation to int8 in exact fractions, one number after another."""

from __future__ import annotations

from fractions import Fraction

import torch


def reference(inputs):
    size = inputs["group_size"]
    least = Fraction(inputs["eps"])
    codes, scales = [], []
    for row in inputs["x"].tolist():
        groups = [[Fraction(value) for value in row[first : first + size]] for first in range(0, len(row), size)]
        scales.append([max(least, max(group), -min(group)) / 127 for group in groups])
        codes.append([int(value / scale) for group, scale in zip(groups, scales[-1], strict=True) for value in group])
    rounded = [[float(scale) for scale in row] for row in scales]
    return {"q": torch.tensor(codes), "scales": torch.tensor(rounded, dtype=torch.float64)}
