"""The solution of linear systems by PyTorch's solver, which is an LU factorisation with partial pivoting."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"x": torch.linalg.solve(inputs["a"], inputs["b"])}
