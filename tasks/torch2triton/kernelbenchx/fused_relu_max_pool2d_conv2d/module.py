"""A convolution, the maxima of its windows and a rectifier, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(
    x: torch.Tensor,
    w: torch.Tensor,
    b: torch.Tensor | None,
    stride: int,
    padding: int,
    dilation: int,
    groups: int,
    pool: int,
    pool_stride: int,
    pool_padding: int,
    pool_dilation: int,
    ceil_mode: int,
) -> torch.Tensor:
    y = torch.nn.functional.conv2d(x, w, b, stride, padding, dilation, groups)
    y = torch.nn.functional.max_pool2d(y, pool, pool_stride, pool_padding, pool_dilation, ceil_mode=bool(ceil_mode))
    return torch.relu(y)
