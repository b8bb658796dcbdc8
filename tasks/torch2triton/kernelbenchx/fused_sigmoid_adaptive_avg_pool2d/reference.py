"""The sigmoid of means of the cells of a grid over images, by PyTorch in float64."""

from __future__ import annotations

import torch


def reference(inputs):
    out = torch.nn.functional.adaptive_avg_pool2d(inputs["x"], (inputs["out_h"], inputs["out_w"]))
    return {"out": torch.sigmoid(out)}
