"""Attention between pixels: each gives its value to all, in shares that add up to one, one giver after the other."""

from __future__ import annotations

import torch


def reference(inputs):
    pixels = inputs["x"].flatten(2).transpose(1, 2)  # batch, pixel, channel

    def projected(tensor, name):
        return torch.einsum("bpc,oc->bpo", tensor, inputs[f"{name}_weight"]) + inputs.get(f"{name}_bias", 0)

    query, key, value = (projected(pixels, name) for name in ("query", "key", "value"))
    gathered = torch.zeros_like(value)
    for giver in range(pixels.shape[1]):
        energy = torch.einsum("bk,bpk->bp", query[:, giver], key)
        share = torch.exp(energy - torch.logsumexp(energy, dim=1, keepdim=True))
        gathered += share[:, :, None] * value[:, giver, None, :]
    return {"y": projected(gathered, "gamma").transpose(1, 2).reshape(inputs["x"].shape)}
