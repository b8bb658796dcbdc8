"""The slot of each token in a paged cache, by indexing the block table with all tokens at once."""

from __future__ import annotations

import torch


def reference(inputs):
    slot, starts, positions, table = (inputs[name].long() for name in ("slot", "starts", "positions", "table"))
    row = torch.repeat_interleave(slot, starts.diff())
    block = table[row, positions // inputs["block_size"]]
    mapping = torch.full((inputs["room"],), -1, dtype=torch.int64, device=table.device)
    mapping[: len(positions)] = block * inputs["block_size"] + positions % inputs["block_size"]
    return {"mapping": mapping}
