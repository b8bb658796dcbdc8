"""A paged cache after new tokens are written, by indexing its slots with all of them at once."""

from __future__ import annotations

import torch


def reference(inputs):
    slots, cache = inputs["slots"].long(), inputs["cache"]
    token = torch.where(slots >= 0)[0]
    parts = []
    for name in ("key", "value"):
        scale = inputs[f"{name}_scale"]
        parts.append(inputs[name][token] if scale is None else inputs[name][token] / scale)
    rows = torch.cat(parts, dim=2).clamp(-inputs["largest"], inputs["largest"])
    return {"new_cache": cache.flatten(0, 1).index_copy(0, slots[token], rows).view(cache.shape)}
