"""A scaled sigmoid from an exponential that cannot overflow."""

from __future__ import annotations

import torch


def reference(inputs):
    z = inputs["gain"] * inputs["x"]
    grown = torch.exp(-z.abs())
    return {"y": inputs["limit"] * torch.where(z < 0, grown, torch.ones_like(z)) / (1 + grown)}
