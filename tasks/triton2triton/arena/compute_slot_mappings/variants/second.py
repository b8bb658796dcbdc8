"""The slot of each token in a paged cache, one request after the other, block by block."""

from __future__ import annotations

import torch


def reference(inputs):
    starts, size = inputs["starts"].tolist(), inputs["block_size"]
    mapping = torch.full((inputs["room"],), -1, dtype=torch.int64)
    for request, row in enumerate(inputs["slot"].tolist()):
        slots = (inputs["table"][row].long()[:, None] * size + torch.arange(size)).flatten()  # of the whole row
        mine = slice(starts[request], starts[request + 1])
        mapping[mine] = slots[inputs["positions"][mine]]
    return {"mapping": mapping}
