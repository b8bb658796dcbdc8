"""A scaled tanh from exp(z) - 1, which keeps the digits of small arguments."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    grown = torch.expm1(-2 * inputs["gain"] * x.abs())
    return {"y": -inputs["limit"] * torch.sign(x) * grown / (grown + 2)}
