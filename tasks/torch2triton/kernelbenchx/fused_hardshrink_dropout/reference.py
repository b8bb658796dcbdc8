"""Hard shrinkage of what dropout keeps, times 1 - p: an element that is kept is divided by that."""

from __future__ import annotations

import torch


def reference(inputs):
    kept = torch.nn.functional.hardshrink(inputs["x"] / (1 - inputs["p"]), inputs["lambd"])
    return {"out": kept * (1 - inputs["p"])}
