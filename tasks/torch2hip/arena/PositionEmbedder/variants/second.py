"""Rows of the table by the number of their position, added with another order of axes."""

from __future__ import annotations

import torch


def reference(inputs):
    x, table = inputs["x"], inputs["table"]
    rows = torch.nn.functional.embedding(torch.arange(x.shape[1]), table)
    return {"y": torch.add(x.transpose(0, 1), rows[:, None, :]).transpose(0, 1).contiguous()}
