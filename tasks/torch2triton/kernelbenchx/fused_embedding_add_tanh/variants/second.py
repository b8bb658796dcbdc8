"""Rows of a table, picked one at a time, plus another tensor, and a tanh by way of exp(-2 |x|) - 1."""

from __future__ import annotations

import torch


def reference(inputs):
    rows = torch.stack([inputs["table"][number] for number in inputs["index"].flatten().tolist()])
    x = rows.view(*inputs["index"].shape, -1) + inputs["other"]
    e = torch.expm1(-2 * x.abs())
    return {"out": -torch.sign(x) * e / (2 + e)}
