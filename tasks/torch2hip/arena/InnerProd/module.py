"""The inner product over channels of an image's weights and a map of sound, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(image: torch.Tensor, sound: torch.Tensor, scale: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    batch, channels, height, width = sound.shape
    weights = (image * scale).view(batch, 1, channels)
    return torch.bmm(weights, sound.view(batch, channels, height * width)).view(batch, height, width) + bias
