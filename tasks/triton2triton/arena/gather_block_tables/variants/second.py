"""The block tables of a batch, one number after the other."""

from __future__ import annotations

import torch


def reference(inputs):
    table, gathered = inputs["table"].tolist(), inputs["batch_table"].tolist()
    counts = inputs["counts"].tolist()
    for request, slot in enumerate(inputs["slot"].tolist()):
        for place in range(counts[slot]):
            gathered[request][place] = table[slot][place]
    return {"gathered": torch.tensor(gathered)}
