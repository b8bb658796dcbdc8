"""The transposed convolution of images, by PyTorch in float64."""

from __future__ import annotations

import torch


def reference(inputs):
    numbers = (inputs[name] for name in ("stride", "padding", "output_padding", "groups", "dilation"))
    return {"out": torch.nn.functional.conv_transpose2d(inputs["x"], inputs["w"], inputs["b"], *numbers)}
