"""Rotary embedding by positions in three dimensions: tables of one plane are put together, then all heads turn."""

from __future__ import annotations

import torch


def reference(inputs):
    cos, sin, head_dim = inputs["cos"], inputs["sin"], inputs["head_dim"]
    time, height, width = (inputs[name] for name in ("section_t", "section_h", "section_w"))
    half = cos.shape[2]
    if inputs["interleaved"]:
        plane = torch.zeros(half, dtype=torch.int64, device=cos.device)
        plane[1 : 3 * height : 3] = 1
        plane[2 : 3 * width : 3] = 2
    else:
        counts = torch.tensor([time, height, width], device=cos.device)
        plane = torch.repeat_interleave(counts)
    i = torch.arange(half, device=cos.device)
    c, s = (values[plane, :, i].T[:, None] for values in (cos, sin))
    turned = {}
    for name in ("q", "k"):
        x = inputs[name].unflatten(1, (-1, head_dim))
        x1, x2, rest = x.split([half, half, head_dim - 2 * half], dim=2)
        turned[f"new_{name}"] = torch.cat([x1 * c - x2 * s, x2 * c + x1 * s, rest], dim=2).flatten(1)
    return turned
