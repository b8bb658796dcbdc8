"""A linear layer and the hyperbolic tangent, row by row, and as a quotient of exponentials less 1."""

from __future__ import annotations

import torch


def reference(inputs):
    x, w, bias = inputs["x"], inputs["w"], inputs["bias"]
    z = torch.stack([(row * w).sum(1) for row in x])
    z = z if bias is None else z + bias
    less = torch.expm1(-2 * z.abs())
    return {"out": -less / (less + 2) * z.sign()}
