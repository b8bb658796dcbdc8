"""A paged cache after new tokens are written, a head of a token after the other."""

from __future__ import annotations

import torch


def reference(inputs):
    cache, largest = inputs["cache"].clone(), inputs["largest"]
    size = cache.shape[1]
    factors = [1.0 if inputs[name] is None else 1.0 / inputs[name].item() for name in ("key_scale", "value_scale")]
    for token, slot in enumerate(inputs["slots"].tolist()):
        if slot < 0:
            continue
        for head, (keys, values) in enumerate(
            zip(inputs["key"][token].tolist(), inputs["value"][token].tolist(), strict=True)
        ):
            row = [x * factors[0] for x in keys] + [x * factors[1] for x in values]
            row = [min(max(x, -largest), largest) for x in row]
            cache[slot // size, slot % size, head] = torch.tensor(row, dtype=cache.dtype)
    return {"new_cache": cache}
