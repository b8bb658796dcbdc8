"""The solution of systems with symmetric matrices, by eigenvectors and one step of refinement."""

from __future__ import annotations

import torch


def reference(inputs):
    a, b = inputs["a"], inputs["b"]
    values, vectors = torch.linalg.eigh(a)

    def solved(right):
        return vectors @ ((vectors.mT @ right) / values[..., None])

    x = solved(b)
    return {"x": x + solved(b - a @ x)}
