"""Gradients of RMS normalisation by their formulas, in PyTorch."""

from __future__ import annotations


def reference(inputs):
    dy, x, rsigma = inputs["dy"], inputs["x"], inputs["rsigma"][:, None]
    scaled = dy * (inputs["gain"] + inputs["plus_one"])
    mean = (scaled * x).mean(dim=-1, keepdim=True)
    return {"dx": rsigma * scaled - rsigma**3 * x * mean, "dgain": (dy * x * rsigma).sum(dim=0)}
