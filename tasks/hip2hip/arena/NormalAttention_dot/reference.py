"""Attention between pixels with an ELU, with convolutions of one pixel."""

from __future__ import annotations

from torch.nn import functional


def reference(inputs):
    x = inputs["x"]

    def projected(tensor, name):
        return functional.conv2d(tensor, inputs[f"{name}_weight"][:, :, None, None], inputs[f"{name}_bias"])

    query, key, value = (projected(x, name).flatten(2) for name in ("query", "key", "value"))
    energy = functional.elu(query.transpose(1, 2) @ key)
    return {"y": projected((value @ energy / key.shape[2]).view(x.shape), "gamma")}
