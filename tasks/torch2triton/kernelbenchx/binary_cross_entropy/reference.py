"""The cross entropy of two classes, by PyTorch in float64."""

from __future__ import annotations

import torch
import torch.nn.functional as F

REDUCTIONS = ("none", "sum", "mean")


def reference(inputs):
    given = (inputs["x"], inputs["t"], inputs["weight"])
    return {"out": torch.atleast_2d(F.binary_cross_entropy(*given, reduction=REDUCTIONS[inputs["reduction"]]))}
