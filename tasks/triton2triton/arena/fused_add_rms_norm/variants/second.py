"""Residual addition and RMS normalisation: a row's sum of squares from a matrix product of the row with itself."""

from __future__ import annotations

import torch


def reference(inputs):
    total = torch.stack([inputs["x"], inputs["residual"]]).sum(0)
    y = torch.empty_like(total)
    for row, values in enumerate(total):
        mean_square = torch.dot(values, values) / len(values)
        y[row] = values * inputs["weight"] / (mean_square + inputs["eps"]).sqrt()
    return {"y": y, "new_residual": total}
