"""A learned embedding of positions, added by PyTorch."""

from __future__ import annotations


def reference(inputs):
    x = inputs["x"]
    return {"y": x + inputs["table"][: x.shape[1]]}
