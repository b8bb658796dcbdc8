"""Distinct slots of a paged cache, in runs as requests have them, with tokens that have none, and powers of two."""

from __future__ import annotations

import torch

NONE = -1


def draw(axes, name, generator):
    addressed, block_size = axes["addressed"], axes["block_size"]
    options = {"generator": generator, "device": generator.device}
    places = axes["blocks"] * block_size
    used = -(-addressed // block_size)
    block = torch.randperm(axes["blocks"], **options)[:used]  # tokens in order fill whole blocks, which lie anywhere
    slots = (block[:, None] * block_size + torch.arange(block_size, device=generator.device)).flatten()[:addressed]
    if name == "scattered":
        slots = torch.randperm(places, **options)[:addressed]
    elif name == "last_slots":
        slots = places - addressed + torch.arange(addressed, device=generator.device)
    if name in ("standard", "outlier"):
        slots[torch.rand(addressed, **options) < 0.125] = NONE
    elif name == "skipped":
        slots[torch.rand(addressed, **options) < 0.5] = NONE
        slots[0] = -block_size  # any negative slot
    if not axes["scaled"]:
        return {"slots": slots}
    lowest, count = (-9, 2) if name == "saturated" else (-3, 7)
    scale = {key: 2.0 ** (lowest + torch.randint(count, (1,), **options)) for key in ("key_scale", "value_scale")}
    return {"slots": slots, **scale}
