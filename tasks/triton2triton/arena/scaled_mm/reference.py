"""The scaled product by PyTorch: scales apply to rows and columns of the inputs."""

from __future__ import annotations


def reference(inputs):
    scaled_a = inputs["a"] * inputs["a_scale"][:, None]
    out = scaled_a @ (inputs["b"] * inputs["b_scale"][None, :])
    return {"out": out if inputs["bias"] is None else out + inputs["bias"][None, :]}
