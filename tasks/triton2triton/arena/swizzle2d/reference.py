"""The swizzled order of a matrix's tiles: every number is scattered to its place."""

from __future__ import annotations

import torch


def reference(inputs):
    rows, cols, group = inputs["rows"], inputs["cols"], inputs["group"]
    first = inputs["first"].long()
    number = torch.arange(rows * cols, device=first.device)
    top = number // (group * cols) * group
    height = (rows - top).clamp(max=group)
    rest = number % (group * cols)
    out = torch.empty_like(number)
    out[(top + rest % height) * cols + rest // height] = number
    return {"out": first + out.view(rows, cols)}
