"""Group-wise quantisation to e4m3fn: the exponent says how far apart fp8 numbers lie, and quotients go to the
nearest.
"""

from __future__ import annotations

import torch

LARGEST = 448.0
SMALLEST_EXPONENT = -6  # of a normal number; below it the distance stays
MANTISSA_BITS = 3


def reference(inputs):
    x, size = inputs["x"], inputs["group_size"]
    grouped = x.reshape(x.shape[0], -1, size)
    scales = grouped.abs().amax(-1).clamp(min=inputs["eps"]) / LARGEST
    quotient = (grouped / scales[..., None]).clamp(-LARGEST, LARGEST)
    exponent = torch.frexp(quotient).exponent - 1
    step = torch.ldexp(torch.ones_like(quotient), exponent.clamp(min=SMALLEST_EXPONENT) - MANTISSA_BITS)
    return {"q": (torch.round(quotient / step) * step).reshape(x.shape), "scales": scales}
