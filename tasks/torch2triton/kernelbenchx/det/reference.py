"""Determinants by PyTorch, which multiplies the pivots of an elimination."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"det": torch.linalg.det(inputs["a"])}
