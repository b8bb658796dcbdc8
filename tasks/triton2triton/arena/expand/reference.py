"""Each request's value for all of its tokens, by PyTorch's repeat_interleave."""

from __future__ import annotations

import torch


def reference(inputs):
    x = inputs["x"]
    value = torch.where(x == inputs["old"], inputs["new"], x)
    return {"out": torch.repeat_interleave(value, inputs["starts"].long().diff())}
