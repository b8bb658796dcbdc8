"""Means of the cosines between two images' pixels: vectors are scaled first, and windows unfolded and summed."""

from __future__ import annotations

import torch


def reference(inputs):
    a, b, kernel, padding = inputs["a"], inputs["b"], inputs["kernel"], inputs["padding"]
    a = a / a.square().sum(1, keepdim=True).sqrt().clamp_min(inputs["eps"])
    b = b / b.square().sum(1, keepdim=True).sqrt().clamp_min(inputs["eps"])
    cosine = torch.nn.functional.pad((a * b).sum(1, keepdim=True), 4 * (padding,))
    windows = cosine.unfold(2, kernel, inputs["stride"]).unfold(3, kernel, inputs["stride"])
    return {"out": windows.sum((-2, -1)) / kernel**2}
