"""A convolution over time, a GELU and a linear layer, in plain PyTorch."""

from __future__ import annotations

import torch
from torch.nn import functional


def forward(
    x: torch.Tensor,
    conv_weight: torch.Tensor,
    conv_bias: torch.Tensor,
    linear_weight: torch.Tensor,
    linear_bias: torch.Tensor,
) -> torch.Tensor:
    taps = conv_weight.shape[-1]
    hidden = functional.conv1d(x.permute(1, 2, 0), conv_weight, conv_bias, padding=taps // 2)
    hidden = functional.gelu(hidden.permute(2, 0, 1) * taps**-0.5)
    return functional.linear(hidden, linear_weight, linear_bias).contiguous()
