"""The transposed convolution as it is defined: each place of a filter adds its multiple of all pixels to the output."""

from __future__ import annotations

import torch


def reference(inputs):
    x, w, b, groups = inputs["x"], inputs["w"], inputs["b"], inputs["groups"]
    stride, padding, dilation = inputs["stride"], inputs["padding"], inputs["dilation"]
    reach = [(size - 1) * stride + 1 for size in x.shape[2:]]
    sizes = [
        size + dilation * (taps - 1) + inputs["output_padding"] for size, taps in zip(reach, w.shape[2:], strict=True)
    ]
    x, w = x.unflatten(1, (groups, -1)), w.unflatten(0, (groups, -1))
    out = torch.zeros((len(x), groups, w.shape[2], *sizes), dtype=x.dtype)
    for i in range(w.shape[-2]):
        for j in range(w.shape[-1]):
            top, left = i * dilation, j * dilation
            copies = torch.einsum("ngchw,gcf->ngfhw", x, w[..., i, j])
            out[..., top : top + reach[0] : stride, left : left + reach[1] : stride] += copies
    out = out.flatten(1, 2)[:, :, padding : sizes[0] - padding, padding : sizes[1] - padding]
    return {"out": out if b is None else out + b[:, None, None]}
