"""Logits whose bit is not set become -inf: a mask is one long whole number, whose bits are asked one by one."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    rows = inputs["logits"].tolist()
    for row, words in zip(inputs["mask_rows"].tolist(), inputs["bits"].tolist(), strict=True):
        mask = int.from_bytes(b"".join(word.to_bytes(4, "little", signed=True) for word in words), "little")
        for token in range(inputs["vocab"]):
            if not mask >> token & 1:
                rows[row][token] = -math.inf
    return {"masked": torch.tensor(rows, dtype=torch.float64)}
