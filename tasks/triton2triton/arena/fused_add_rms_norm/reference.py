"""Residual addition and RMS normalisation, twice: by its formula, and as a vector scaled to the length sqrt(cols)."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    total = inputs["x"] + inputs["residual"]
    mean_square = total.square().mean(dim=-1, keepdim=True)
    return {"y": total * torch.rsqrt(mean_square + inputs["eps"]) * inputs["weight"], "new_residual": total}


def second_opinion(inputs):
    total = torch.add(inputs["residual"], inputs["x"])
    cols = total.shape[-1]
    length = torch.linalg.vector_norm(total, dim=-1, keepdim=True)
    padded = torch.hypot(length, torch.full_like(length, math.sqrt(cols * inputs["eps"])))
    return {"y": total / padded * math.sqrt(cols) * inputs["weight"], "new_residual": total}
