"""The transposed convolution of images, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(
    x: torch.Tensor,
    w: torch.Tensor,
    b: torch.Tensor | None,
    stride: int,
    padding: int,
    output_padding: int,
    groups: int,
    dilation: int,
) -> torch.Tensor:
    return torch.nn.functional.conv_transpose2d(x, w, b, stride, padding, output_padding, groups, dilation)
