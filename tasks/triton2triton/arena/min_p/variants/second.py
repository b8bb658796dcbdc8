"""Tokens whose probability is below min_p times that of the likeliest, row by row, by their exponentials."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    shares, rows = inputs["min_p"].tolist(), []
    for logits, slot in zip(inputs["logits"].tolist(), inputs["slot"].tolist(), strict=True):
        highest = max(logits)
        rows.append([_filtered(logit, highest, shares[slot]) for logit in logits])
    return {"filtered": torch.tensor(rows, dtype=torch.float64)}


def _filtered(logit, highest, share):
    likeness = math.exp(logit - highest) if logit > -math.inf else 0.0  # to the likeliest
    return -math.inf if likeness < share else logit
