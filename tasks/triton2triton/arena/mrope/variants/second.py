"""Rotary embedding by positions in three dimensions: each pair is a complex number, times another one."""

from __future__ import annotations

import torch


def reference(inputs):
    cos, sin, head_dim = inputs["cos"].tolist(), inputs["sin"].tolist(), inputs["head_dim"]
    half = len(cos[0][0])
    planes = [_plane(i, inputs) for i in range(half)]
    turned = {}
    for name in ("q", "k"):
        x = inputs[name].clone()
        for token, row in enumerate(x):
            turn = [complex(cos[plane][token][i], sin[plane][token][i]) for i, plane in enumerate(planes)]
            turn = torch.tensor(turn, dtype=torch.complex128)
            for first in range(0, len(row), head_dim):
                one, two = row[first : first + half], row[first + half : first + 2 * half]
                pairs = torch.complex(one.clone(), two.clone()) * turn
                one.copy_(pairs.real)
                two.copy_(pairs.imag)
        turned[f"new_{name}"] = x
    return turned


def _plane(i, inputs):
    if not inputs["interleaved"]:
        return int(i >= inputs["section_t"]) + int(i >= inputs["section_t"] + inputs["section_h"])
    ends = (0, 3 * inputs["section_h"], 3 * inputs["section_w"])
    return i % 3 if i < ends[i % 3] else 0
