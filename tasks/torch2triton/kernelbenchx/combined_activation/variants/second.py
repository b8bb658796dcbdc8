"""A linear layer with two activations, a scale and a shift, with both activations from exponentials."""

from __future__ import annotations

import torch


def reference(inputs):
    z = torch.einsum("mk,kn->mn", inputs["x"], inputs["w1"])
    gate = torch.exp(-torch.logaddexp(torch.zeros_like(z), -z))
    e = torch.exp(-2 * gate)
    return {"y": inputs["w2"] * (1 - e) / (1 + e) + inputs["b"]}
