"""The solution of linear systems by PyTorch's solver."""

from __future__ import annotations

import torch


def reference(inputs):
    return {"x": torch.linalg.solve(inputs["a"], inputs["b"][:, :, None])[:, :, 0]}
