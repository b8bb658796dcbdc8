"""Quantisation to int8 with a scale for each row, by PyTorch's operators."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    scales = x.abs().amax(dim=1, keepdim=True).clamp(min=1e-10) / 127
    return {"q": torch.round(x / scales).to(torch.int64), "scales": scales}
