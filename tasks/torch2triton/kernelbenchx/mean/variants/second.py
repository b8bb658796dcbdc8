"""The mean as the mean of means, one dimension after the other, each as the last running total."""

from __future__ import annotations


def reference(inputs):
    dims = [dim for dim in range(3) if inputs[f"dim{dim}"]]
    out = inputs["x"]
    for dim in dims:
        count = out.shape[dim]
        out = out.cumsum(dim).narrow(dim, count - 1, 1) / count
    return {"out": out}
