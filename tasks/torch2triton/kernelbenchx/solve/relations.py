"""How well a solution fits its system, beside the sizes of what is multiplied: a system may be close to singular.

Such a system magnifies rounding in the solution, but not in what is left of it.
"""

from __future__ import annotations

import torch


def relations(inputs, outputs, reference):
    a, b, x = inputs["a"], inputs["b"], outputs["x"]
    size = _size(a) * _size(x) + _size(b)
    return {"residual": _size(a @ x - b) / size.clamp_min(torch.finfo(torch.float32).tiny)}


def _size(matrices):
    return matrices.square().sum((-2, -1)).sqrt()
