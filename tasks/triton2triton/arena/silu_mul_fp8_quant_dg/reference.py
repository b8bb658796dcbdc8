"""silu(gate) * up for all rows by PyTorch's operators, of which those without a token become zeros at the end."""

from __future__ import annotations

import torch

LARGEST = 448.0
SMALLEST_EXPONENT = -6  # of a normal number; below it the distance stays
MANTISSA_BITS = 3


def reference(inputs):
    y, counts = inputs["y"], inputs["counts"]
    gate, up = y.chunk(2, dim=-1)
    v = torch.nn.functional.silu(gate) * up
    has_token = torch.arange(y.shape[1], device=y.device) < counts[:, None]
    grouped = v.unflatten(-1, (-1, inputs["group_size"]))
    scales = grouped.abs().amax(-1).clamp(min=1e-10) / LARGEST
    q = _nearest(grouped / scales[..., None]).flatten(-2)
    scales = scales.transpose(1, 2).contiguous()
    return {
        "q": q.masked_fill(~has_token[:, :, None], 0.0),
        "scales": scales.masked_fill(~has_token[:, None, :], 0.0),
    }


def _nearest(quotient):
    exponent = torch.frexp(quotient).exponent - 1
    step = torch.ldexp(torch.ones_like(quotient), exponent.clamp(min=SMALLEST_EXPONENT) - MANTISSA_BITS)
    return (torch.round(quotient / step) * step).clamp(-LARGEST, LARGEST)
