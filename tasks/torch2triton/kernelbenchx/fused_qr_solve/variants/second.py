"""The solution of least squares problems by singular values and vectors."""

from __future__ import annotations

import torch


def reference(inputs):
    u, s, v = torch.linalg.svd(inputs["a"], full_matrices=False)
    return {"x": v.mT @ (u.mT @ inputs["b"] / s[:, :, None])}
