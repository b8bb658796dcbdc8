"""The number of NaN in each row, counted one logit at a time."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    counts = [sum(1 for logit in row if math.isnan(logit)) for row in inputs["logits"].tolist()]
    return {"counts": torch.tensor(counts, dtype=torch.int64)}
