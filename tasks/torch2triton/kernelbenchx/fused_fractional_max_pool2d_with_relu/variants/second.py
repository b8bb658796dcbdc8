"""The pixels of every window side by side, of which the first of the largest is taken."""

from __future__ import annotations

import torch


def reference(inputs):
    x, kernel = inputs["x"].clamp(min=0), inputs["kernel"]
    height, width = x.shape[2:]
    rows = _places(inputs["samples"][:, :, 1], height, inputs["down"], kernel)
    cols = _places(inputs["samples"][:, :, 0], width, inputs["across"], kernel)
    places = rows[:, :, :, None, :, None] * width + cols[:, :, None, :, None, :]
    windows = x.flatten(2).gather(2, places.flatten(2)).view(places.shape).flatten(4)
    out = windows.amax(4)
    first = (windows == out[..., None]).int().argmax(4, keepdim=True)
    return {"out": out, "indices": places.flatten(4).gather(4, first)[..., 0]}


def _places(numbers, size, count, kernel):
    """The pixels of each window along one side, [batch, channels, count, kernel]."""
    step = (size - kernel) / (count - 1)
    window = torch.arange(count, dtype=torch.float64, device=numbers.device)
    begin = ((window + numbers[..., None]) * step).floor() - (numbers[..., None] * step).floor()
    begin[..., -1] = size - kernel
    return begin.long()[..., None] + torch.arange(kernel, device=numbers.device)
