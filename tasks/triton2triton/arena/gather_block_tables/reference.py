"""The block tables of a batch, by indexing whole rows and keeping what lies behind their ends."""

from __future__ import annotations

import torch


def reference(inputs):
    slot, table, gathered = inputs["slot"].long(), inputs["table"].long(), inputs["batch_table"].long()
    requests, width = len(slot), table.shape[1]
    inside = torch.arange(width, device=table.device) < inputs["counts"].long()[slot][:, None]
    rest = gathered[requests:]
    return {"gathered": torch.cat([torch.where(inside, table[slot], gathered[:requests]), rest])}
