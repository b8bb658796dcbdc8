"""Rows of a table by number, with an index for each of the first two dimensions."""

from __future__ import annotations

import torch


def reference(inputs):
    x, index = inputs["x"], inputs["index"].long()
    outer = torch.arange(len(x)).unsqueeze(-1)
    return {"y": x[outer, index]}
