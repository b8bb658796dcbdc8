"""A vector updated by a product of matrix and vector, and its dot product with the other, by PyTorch."""

from __future__ import annotations

import torch


def reference(inputs):
    y = inputs["alpha"] * torch.mv(inputs["a"], inputs["x"]) + inputs["beta"] * inputs["y"]
    return {"new_y": y, "dot": torch.dot(y, inputs["x"])}
