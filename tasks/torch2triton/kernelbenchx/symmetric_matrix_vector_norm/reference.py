"""The norm of a product of a symmetric matrix and a vector, by PyTorch."""

from __future__ import annotations

import torch


def reference(inputs):
    y = inputs["alpha"] * torch.mv(inputs["a"], inputs["x"])
    y = y + inputs["beta"] * y
    return {"norm": torch.linalg.vector_norm(y, ord=inputs["p"]), "y": y}
