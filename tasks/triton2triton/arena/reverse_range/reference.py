"""A window of a vector in reverse, by PyTorch's flip."""

from __future__ import annotations


def reference(inputs):
    return {"out": inputs["src"][1 : inputs["window"] + 1].flip(0)}
