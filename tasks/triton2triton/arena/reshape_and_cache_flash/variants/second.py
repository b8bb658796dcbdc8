"""A paged cache after new tokens are written, one after the other."""

from __future__ import annotations

import torch


def reference(inputs):
    size, largest = inputs["key_cache"].shape[1], inputs["largest"]
    caches = {}
    for name in ("key", "value"):
        scale = inputs[f"{name}_scale"]
        cache = inputs[f"{name}_cache"].clone()
        factor = 1.0 if scale is None else 1.0 / scale.item()
        for row, slot in zip(inputs[name], inputs["slots"].tolist(), strict=False):
            if slot >= 0:
                numbers = [[min(max(x * factor, -largest), largest) for x in head] for head in row.tolist()]
                cache[slot // size, slot % size] = torch.tensor(numbers, dtype=cache.dtype)
        caches[f"new_{name}_cache"] = cache
    return caches
