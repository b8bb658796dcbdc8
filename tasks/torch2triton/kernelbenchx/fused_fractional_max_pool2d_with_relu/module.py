"""ReLU and fractional max pooling with given random numbers, in plain PyTorch."""

from __future__ import annotations

import torch


def forward(
    x: torch.Tensor, samples: torch.Tensor, kernel: int, down: int, across: int
) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.nn.functional.fractional_max_pool2d(
        torch.relu(x), kernel, output_size=(down, across), return_indices=True, _random_samples=samples
    )
