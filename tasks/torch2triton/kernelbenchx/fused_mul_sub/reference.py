"""A product less a scaled tensor, by PyTorch."""

from __future__ import annotations


def reference(inputs):
    return {"out": inputs["x"] * inputs["m"] - inputs["alpha"] * inputs["s"]}
