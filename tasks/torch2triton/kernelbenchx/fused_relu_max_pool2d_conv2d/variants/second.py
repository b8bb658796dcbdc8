"""The convolution as a sum over the places of its window; each place of the pooled window in turn, from 0 up."""

from __future__ import annotations

import torch


def reference(inputs):
    y = convolved(inputs)
    pool, step, padding = inputs["pool"], inputs["pool_stride"], inputs["pool_padding"]
    reach = inputs["pool_dilation"] * (pool - 1)
    sizes = []
    for size in y.shape[2:]:
        windows, rest = divmod(size + 2 * padding - reach - 1, step)
        further = bool(inputs["ceil_mode"]) and rest > 0 and (windows + 1) * step < size + padding
        sizes.append(windows + 1 + further)
    out = torch.zeros((*y.shape[:2], *sizes), dtype=y.dtype)
    for row in range(sizes[0]):
        for col in range(sizes[1]):
            for tap in range(pool * pool):
                i = row * step - padding + tap // pool * inputs["pool_dilation"]
                j = col * step - padding + tap % pool * inputs["pool_dilation"]
                if 0 <= i < y.shape[2] and 0 <= j < y.shape[3]:
                    out[:, :, row, col] = torch.maximum(out[:, :, row, col], y[:, :, i, j])
    return {"out": out}


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
