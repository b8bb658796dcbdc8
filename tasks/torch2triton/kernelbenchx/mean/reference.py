"""The mean over some dimensions, by PyTorch in float64."""

from __future__ import annotations


def reference(inputs):
    dims = [dim for dim in range(3) if inputs[f"dim{dim}"]]
    return {"out": inputs["x"].mean(dims, keepdim=True)}
