"""The sigmoid of a product of matrix and vector, less a scaled vector, by PyTorch."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"out": torch.sigmoid(torch.mv(inputs["a"], inputs["v"])) - inputs["alpha"] * inputs["other"]}
