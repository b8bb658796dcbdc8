"""The norms of products of symmetric matrices and vectors, by PyTorch."""

from __future__ import annotations

import torch


def reference(inputs):
    y = inputs["alpha"] * torch.bmm(inputs["a"], inputs["x"][:, :, None])[:, :, 0]
    y = y + inputs["beta"] * y
    return {"norm": torch.linalg.vector_norm(y, ord=inputs["p"], dim=1), "y": y}
