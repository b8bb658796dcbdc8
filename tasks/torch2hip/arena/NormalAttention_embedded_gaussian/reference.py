"""Attention between pixels, normalised over those that take, with convolutions of one pixel."""

from __future__ import annotations

from torch.nn import functional


def reference(inputs):
    x = inputs["x"]

    def projected(tensor, name):
        return functional.conv2d(tensor, inputs[f"{name}_weight"][:, :, None, None], inputs.get(f"{name}_bias"))

    query, key, value = (projected(x, name).flatten(2) for name in ("query", "key", "value"))
    share = functional.softmax(query.transpose(1, 2) @ key, dim=2)
    return {"y": projected((value @ share).view(x.shape), "gamma")}
