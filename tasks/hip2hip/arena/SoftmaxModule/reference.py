"""Softmax of every row, twice: PyTorch's own, and written out with exponentials, their sum and a quotient."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"y": torch.softmax(inputs["x"], dim=-1)}


def second_opinion(inputs):
    x = inputs["x"]
    grown = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return {"y": grown / grown.sum(dim=-1, keepdim=True)}
