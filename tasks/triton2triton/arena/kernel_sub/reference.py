"""A vector less a multiple of another, by PyTorch's operator with a factor."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"out": torch.sub(inputs["x"], inputs["y"], alpha=inputs["factor"])}
