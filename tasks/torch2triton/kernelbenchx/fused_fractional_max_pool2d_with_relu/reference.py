"""ReLU and fractional max pooling with given random numbers, by PyTorch."""

from __future__ import annotations

import torch


def reference(inputs):
    out, indices = torch.nn.functional.fractional_max_pool2d(
        torch.relu(inputs["x"]),
        inputs["kernel"],
        output_size=(inputs["down"], inputs["across"]),
        return_indices=True,
        _random_samples=inputs["samples"],
    )
    return {"out": out, "indices": indices}
