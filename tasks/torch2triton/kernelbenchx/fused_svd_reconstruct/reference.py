"""Singular values by PyTorch; what is made of all factors again is the matrix itself."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"y": inputs["a"].clone(), "s": torch.linalg.svdvals(inputs["a"])}
