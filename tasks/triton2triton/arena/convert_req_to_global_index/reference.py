"""Slots of picked positions in a paged cache, by gathering from each token's row of the block table."""

from __future__ import annotations

import torch


def reference(inputs):
    request, table, local = (inputs[name].long() for name in ("request", "table", "local"))
    size = inputs["block_size"]
    is_valid = (local >= 0) & (local < table.shape[1] * size)
    position = torch.where(is_valid, local, 0)
    slots = table[request].gather(1, position // size) * size + position % size
    return {"slots": slots.masked_fill(~is_valid, -1), "valid": is_valid.sum(1)}
