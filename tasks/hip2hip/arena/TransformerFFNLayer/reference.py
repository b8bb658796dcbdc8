"""A convolution over time, a GELU and a linear layer, by PyTorch."""

from __future__ import annotations

import math

from torch.nn import functional


def reference(inputs):
    taps = inputs["conv_weight"].shape[-1]
    x = inputs["x"].permute(1, 2, 0)
    hidden = functional.conv1d(x, inputs["conv_weight"], inputs["conv_bias"], padding=taps // 2)
    hidden = functional.gelu(hidden.permute(2, 0, 1) / math.sqrt(taps))
    return {"y": functional.linear(hidden, inputs["linear_weight"], inputs["linear_bias"]).contiguous()}
