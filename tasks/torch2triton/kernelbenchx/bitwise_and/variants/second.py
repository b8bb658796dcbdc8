"""The bitwise and, as what neither lacks."""

from __future__ import annotations


def reference(inputs):
    return {"out": ~(~inputs["x"] | ~inputs["y"])}
