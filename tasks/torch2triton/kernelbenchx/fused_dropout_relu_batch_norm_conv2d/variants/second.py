"""The layer before dropout: a sum over the places of the filter, with mean and biased variance written out."""

from __future__ import annotations

import torch


def reference(inputs):
    w, groups, stride, dilation = (inputs[name] for name in ("w", "groups", "stride", "dilation"))
    x = torch.nn.functional.pad(inputs["x"], (inputs["padding"],) * 4)
    kernel = w.shape[2]
    size = (x.shape[2] - (kernel - 1) * dilation - 1) // stride + 1
    last = stride * (size - 1) + 1
    x, w = x.unflatten(1, (groups, -1)), w.unflatten(0, (groups, -1))
    y = torch.zeros(len(x), groups, w.shape[1], size, size, dtype=x.dtype, device=x.device)
    for down in range(0, kernel * dilation, dilation):
        for right in range(0, kernel * dilation, dilation):
            part = x[..., down : down + last : stride, right : right + last : stride]
            y += torch.einsum("ngcij,gfc->ngfij", part, w[..., down // dilation, right // dilation])
    y = y.flatten(1, 2)
    y = y - y.mean((0, 2, 3), keepdim=True)
    return {"out": (y / (y.square().mean((0, 2, 3), keepdim=True) + inputs["eps"]).sqrt()).clamp(min=0)}
