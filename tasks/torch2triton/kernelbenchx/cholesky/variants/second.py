"""The Cholesky factor one column after the other, from the products of the columns before it."""

from __future__ import annotations

import torch


def reference(inputs):
    a = inputs["a"]
    lower = torch.zeros_like(a)
    for j in range(a.shape[-1]):
        column = a[:, j:, j] - (lower[:, j:, :j] @ lower[:, j, :j, None])[:, :, 0]
        lower[:, j:, j] = column / column[:, :1].sqrt()
    return {"factor": lower.mT.contiguous() if inputs["upper"] else lower}
