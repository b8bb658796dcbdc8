"""The slot of each token in a paged cache, one request after the other, page by page."""

from __future__ import annotations

import torch


def reference(inputs):
    starts, page = inputs["starts"].tolist(), inputs["page"]
    mapping = torch.full((inputs["room"],), -1, dtype=torch.int64)
    for request, row in enumerate(inputs["slot"].tolist()):
        slots = (inputs["table"][row].long()[:, None] * page + torch.arange(page)).flatten()  # of the whole row
        mine = slice(starts[request], starts[request + 1])
        mapping[mine] = slots[inputs["positions"][mine]]
    return {"mapping": mapping}
