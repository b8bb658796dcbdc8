"""The product by PyTorch, of matrices that are filled up to whole blocks and seen with a dimension for each block."""

from __future__ import annotations

import torch
from torch.nn import functional


def reference(inputs):
    a, b, block_n, block_k = inputs["a"], inputs["b"], inputs["block_n"], inputs["block_k"]
    (rows, inner), cols = a.shape, b.shape[0]
    lacking = -inner % block_k
    a = functional.pad(a, (0, lacking)).view(rows, -1, block_k)
    b = functional.pad(b, (0, lacking)).view(cols, -1, block_k)
    b_scale = inputs["b_scale"][torch.arange(cols, device=b.device) // block_n]
    return {"out": (a * inputs["a_scale"][:, :, None]).flatten(1) @ (b * b_scale[:, :, None]).flatten(1).T}
