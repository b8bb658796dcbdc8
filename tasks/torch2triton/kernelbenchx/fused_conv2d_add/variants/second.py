"""The convolution as a sum over the places of its window, and the other tensor scaled first."""

from __future__ import annotations

import torch


def reference(inputs):
    y = convolved(inputs)
    other = (inputs["alpha"] * inputs["other"]).expand(y.shape)
    return {"out": other + y}


def convolved(inputs):
    """The sum over the window: at each place of it a product of the filters with the image that is moved by as much."""
    w, b, stride, dilation, groups = (inputs[name] for name in ("w", "b", "stride", "dilation", "groups"))
    x = torch.nn.functional.pad(inputs["x"], 4 * (inputs["padding"],)).unflatten(1, (groups, -1))
    w = w.unflatten(0, (groups, -1))
    ends = [size - dilation * (taps - 1) for size, taps in zip(x.shape[-2:], w.shape[-2:], strict=True)]
    y = torch.zeros((), dtype=x.dtype)
    for i in range(w.shape[-2]):
        for j in range(w.shape[-1]):
            top, left = i * dilation, j * dilation
            moved = x[..., top : top + ends[0] : stride, left : left + ends[1] : stride]
            y = y + torch.einsum("ngchw,gfc->ngfhw", moved, w[..., i, j])
    y = y.flatten(1, 2)
    return y if b is None else y + b[:, None, None]
