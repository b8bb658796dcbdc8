"""De Morgan's rule: not (not x or not y)."""

from __future__ import annotations


def reference(inputs):
    return {"out": ~(~inputs["x"] | ~inputs["y"])}
