"""The reciprocal, as a power."""

from __future__ import annotations


def reference(inputs):
    return {"y": inputs["x"] ** -1.0}
