"""The sum of two vectors, by PyTorch's operator."""

from __future__ import annotations


def reference(inputs):
    return {"out": inputs["lhs"] + inputs["rhs"]}
