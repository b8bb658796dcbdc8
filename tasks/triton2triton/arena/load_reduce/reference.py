"""The largest element of each row, by PyTorch's amax."""

from __future__ import annotations


def reference(inputs):
    return {"y": inputs["x"].amax(dim=1)}
