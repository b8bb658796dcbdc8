"""Quantisation to int8, one number after another: a half goes up, which the first reference sends to the even one."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    codes, scales = [], []
    for row in inputs["x"].tolist():
        scale = max(1e-10, max(row), -min(row)) / 127
        codes.append([math.floor(value / scale + 0.5) for value in row])
        scales.append([scale])
    return {"q": torch.tensor(codes), "scales": torch.tensor(scales, dtype=torch.float64)}
