"""An LU factorisation by elimination, one column after the other, in which rows are exchanged as they lie."""

from __future__ import annotations

import torch


def reference(inputs):
    upper = inputs["a"].clone()
    batch, rows, cols = upper.shape
    least, every = min(rows, cols), torch.arange(batch, device=upper.device)
    lower = torch.zeros(batch, rows, least, dtype=upper.dtype, device=upper.device)
    order = torch.arange(rows, device=upper.device).repeat(batch, 1)
    for j in range(least):
        pivot = j + upper[:, j:, j].abs().argmax(1)
        for matrix in (upper, lower, order):
            matrix[:, j], matrix[every, pivot] = matrix[every, pivot], matrix[:, j].clone()
        head = upper[:, j, j, None]
        factor = torch.where(head == 0, 0.0, upper[:, j + 1 :, j] / torch.where(head == 0, 1.0, head))
        lower[:, j, j] = 1
        lower[:, j + 1 :, j] = factor
        upper[:, j + 1 :] -= factor[:, :, None] * upper[:, j, None, :]
        upper[:, j + 1 :, j] = 0
    p = torch.zeros(batch, rows, rows, dtype=upper.dtype, device=upper.device)
    p[every[:, None], order, torch.arange(rows, device=upper.device)] = 1
    return {"p": p, "l": lower, "u": upper[:, :least].contiguous()}
