"""The solution of systems by PyTorch's general solver, which does not ask whether a matrix is symmetric."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"x": torch.linalg.solve(inputs["a"], inputs["b"])}
