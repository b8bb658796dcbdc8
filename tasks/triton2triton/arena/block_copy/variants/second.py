"""The first half of a vector and its padding, chosen by the number of each element."""

from __future__ import annotations

import torch


def reference(inputs):
    src = inputs["src"]
    number = torch.arange(1, len(src) + 1)
    padded = torch.where(2 * number > len(src), torch.zeros_like(src), src)
    if inputs["nan_padding"] and src.is_floating_point():
        padded = padded.masked_fill(2 * number > len(src), float("nan"))
    return {"dst": padded}
