"""A paged cache after new tokens are written, by indexing its slots with all of them at once."""

from __future__ import annotations

import torch


def reference(inputs):
    slots = inputs["slots"].long()
    token = torch.where(slots >= 0)[0]
    caches = {}
    for name in ("key", "value"):
        rows, cache, scale = (inputs[key] for key in (name, f"{name}_cache", f"{name}_scale"))
        rows = rows[token] if scale is None else rows[token] / scale
        flat = cache.flatten(0, 1).index_copy(0, slots[token], rows.clamp(-inputs["largest"], inputs["largest"]))
        caches[f"new_{name}_cache"] = flat.view(cache.shape)
    return caches
