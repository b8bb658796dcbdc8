"""Logits below their row's highest plus ln(min_p) become -inf."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    logits = inputs["logits"]
    limit = logits.max(dim=1).values + torch.log(inputs["min_p"][inputs["slot"].long()])
    return {"filtered": logits.masked_fill(logits < limit[:, None], -math.inf)}
