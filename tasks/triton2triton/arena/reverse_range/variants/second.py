"""A window of a vector in reverse, by its indices."""

from __future__ import annotations

import torch


def reference(inputs):
    window = inputs["window"]
    return {"out": inputs["src"].gather(0, window - torch.arange(window))}
