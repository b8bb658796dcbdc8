"""Group-wise quantisation to e4m3fn: the exponent says how far apart fp8 numbers lie, and quotients go to the nearest.

frexp shows whether a scale is a power of two already: its mantissa is 0.5.
"""

from __future__ import annotations

import torch

LARGEST = 448.0
SMALLEST_EXPONENT = -6  # of a normal number; below it the distance stays
MANTISSA_BITS = 3


def reference(inputs):
    x = inputs["x"]
    grouped = x.reshape(x.shape[0], -1, inputs["group_size"])
    scales = grouped.abs().amax(-1).clamp(min=inputs["eps"]) / LARGEST
    if inputs["ue8m0"]:
        mantissa, exponent = torch.frexp(scales)
        scales = torch.ldexp(torch.ones_like(scales), torch.where(mantissa == 0.5, exponent - 1, exponent))
    return {"q": _nearest(grouped / scales[..., None]).reshape(x.shape), "scales": scales.T.contiguous()}


def _nearest(quotient):
    exponent = torch.frexp(quotient).exponent - 1
    step = torch.ldexp(torch.ones_like(quotient), exponent.clamp(min=SMALLEST_EXPONENT) - MANTISSA_BITS)
    return (torch.round(quotient / step) * step).clamp(-LARGEST, LARGEST)
