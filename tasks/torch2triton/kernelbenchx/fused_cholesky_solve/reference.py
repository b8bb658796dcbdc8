"""The solution of systems with symmetric positive definite matrices, by PyTorch's general solver."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"x": torch.linalg.solve(inputs["a"], inputs["b"])}
