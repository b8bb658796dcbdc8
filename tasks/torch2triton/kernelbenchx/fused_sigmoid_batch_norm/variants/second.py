"""Batch normalisation of features and sigmoid, from sums over the differences from the first element of a channel."""

from __future__ import annotations

import torch


def reference(inputs):
    rows = inputs["x"].transpose(0, 1).flatten(1)  # one for each channel
    mean, var = inputs["running_mean"], inputs["running_var"]
    new_mean, new_var = mean, var
    if inputs["training"]:
        count, momentum = rows.shape[1], inputs["momentum"]
        away = rows - rows[:, :1]
        mean = rows[:, 0] + away.sum(1) / count
        squares = (away**2).sum(1) - away.sum(1) ** 2 / count
        var = squares.clamp(min=0) / count
        new_mean = torch.lerp(new_mean, mean, momentum)
        new_var = torch.lerp(new_var, squares / (count - 1), momentum)
    y = (rows - mean[:, None]) * torch.rsqrt(var + inputs["eps"])[:, None]
    if inputs["weight"] is not None:
        y = y * inputs["weight"][:, None]
    y = y + inputs["bias"][:, None]
    y = y.view(inputs["x"].transpose(0, 1).shape).transpose(0, 1)
    return {"y": torch.tanh(y / 2) / 2 + 0.5, "new_mean": new_mean, "new_var": new_var}
