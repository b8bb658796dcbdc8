"""x to the power -1."""

from __future__ import annotations


def reference(inputs):
    return {"y": inputs["x"] ** -1.0}
