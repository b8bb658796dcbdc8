"""The product of both matrices after every element was multiplied by the scale of its block."""

from __future__ import annotations


def reference(inputs):
    a, b, block_n, block_k = inputs["a"].double(), inputs["b"].double(), inputs["block_n"], inputs["block_k"]
    a_scale = inputs["a_scale"].repeat_interleave(block_k, 1)[:, : a.shape[1]]
    b_scale = inputs["b_scale"].repeat_interleave(block_n, 0).repeat_interleave(block_k, 1)
    return {"out": (a * a_scale) @ (b * b_scale[: b.shape[0], : b.shape[1]]).T}
