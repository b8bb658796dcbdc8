"""Means of windows along rows, window by window, with the rules at both ends written out."""

from __future__ import annotations

import torch


def reference(inputs):
    x, kernel, stride, padding = (inputs[name] for name in ("x", "kernel", "stride", "padding"))
    length, begin, end, means = x.shape[-1], -padding, -padding, []
    while begin + kernel <= length + padding or (inputs["ceil_mode"] and max(begin, end) < length + padding):
        end = min(begin + kernel, length + padding)
        inside = x[..., max(begin, 0) : max(min(end, length), 0)]
        divisor = end - begin if inputs["count_include_pad"] else inside.shape[-1]
        means.append(inside.sum(-1) / divisor)
        begin += stride
    return {"out": torch.stack(means, dim=-1)}
