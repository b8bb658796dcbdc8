"""The two-dimensional Fourier transform as two products with matrices of roots of one."""

from __future__ import annotations

import math

import torch


def roots(length):
    turns = torch.outer(torch.arange(length), torch.arange(length)) % length  # whole turns change nothing
    angle = -2.0 * math.pi * turns.double() / length
    return torch.view_as_complex(torch.stack((angle.cos(), angle.sin()), dim=-1))


def reference(inputs):
    x = inputs["x"]
    height, width = x.shape[1:]
    factor = 1.0 / math.sqrt(height * width) if inputs["ortho"] else 1.0
    return {"y": roots(height) @ x @ roots(width) * factor}
