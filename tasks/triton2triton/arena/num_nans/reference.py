"""The number of NaN in each row, by PyTorch's isnan."""

from __future__ import annotations


def reference(inputs):
    return {"counts": inputs["logits"].isnan().sum(dim=1)}
