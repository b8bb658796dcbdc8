"""Gradients of RMS normalisation from the derivatives of y: in each row, rsigma has one for each element of x."""

from __future__ import annotations

import torch


def reference(inputs):
    gain = inputs["gain"] + 1 if inputs["plus_one"] else inputs["gain"]
    dx, dgain = torch.empty_like(inputs["x"]), torch.zeros_like(gain)
    for row, (dy, x, rsigma) in enumerate(zip(inputs["dy"], inputs["x"], inputs["rsigma"].tolist(), strict=True)):
        through_rsigma = torch.dot(dy, gain * x)
        slope = x * (-(rsigma**3) / len(x))
        dx[row] = torch.addcmul(slope * through_rsigma, dy, gain, value=rsigma)
        dgain += rsigma * x * dy
    return {"dx": dx, "dgain": dgain}
