"""Columns scaled by a vector, as a sum over no index."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"out": torch.einsum("ij,j->ij", inputs["x"], inputs["y"])}
