"""Logits whose bit is not set become -inf: words are unpacked for all masks at once."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    logits, vocab = inputs["logits"].clone(), inputs["vocab"]
    shifts = torch.arange(32, device=logits.device)
    for row, words in zip(inputs["mask_rows"].tolist(), inputs["bits"].long(), strict=True):
        allowed = ((words[:, None] >> shifts) & 1).flatten()[:vocab] > 0
        logits[row, :vocab].masked_fill_(~allowed, -math.inf)
    return {"masked": logits}
