"""A list of allowed tokens, then biases, then stop tokens before the least length, a row at a time."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    logits = inputs["logits"].clone()
    counts = {part: inputs[f"{part}_count"].tolist() for part in ("allowed", "bias", "stop")}
    least = inputs["least_length"].tolist()
    for row, (slot, position) in enumerate(zip(inputs["slot"].tolist(), inputs["position"].tolist(), strict=True)):
        allowed, biased, stop = (
            inputs[f"{part}_ids"][slot, : counts[part][slot]].long() for part in ("allowed", "bias", "stop")
        )
        if len(allowed):
            others = torch.ones_like(logits[row], dtype=torch.bool).index_fill_(0, allowed, False)
            logits[row].masked_fill_(others, -math.inf)
        logits[row].index_add_(0, biased, inputs["bias"][slot, : len(biased)])
        if position < least[slot]:
            logits[row].index_fill_(0, stop, -math.inf)
    return {"biased": logits}
