"""Multi-head attention, head by head with a written-out softmax."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    x, heads, mask = inputs["x"], inputs["heads"], inputs["mask"]
    features = x.shape[2]
    size = features // heads
    projected = torch.einsum("btf,of->bto", x, inputs["weight_in"]) + inputs["bias_in"]
    query, key, value = projected.split(features, dim=2)
    y = inputs["bias_out"].repeat(*x.shape[:2], 1)
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        scores = torch.einsum("btf,bsf->bts", query[..., part], key[..., part]) / math.sqrt(size)
        grown = torch.exp(scores - scores.amax(dim=2, keepdim=True))
        if mask is not None:
            grown = grown * mask[:, None, :]
        shares = grown / grown.sum(dim=2, keepdim=True).clamp(min=1e-300)
        gathered = torch.einsum("bts,bsf->btf", shares, value[..., part])
        y += torch.einsum("btf,of->bto", gathered, inputs["weight_out"][:, part])
    return {"y": y}
