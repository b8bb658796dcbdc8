"""Scores within chunks of a sequence, one token after another: its products with all tokens of its chunk."""

from __future__ import annotations

import torch


def reference(inputs):
    a, b, chunk, starts = inputs["a"], inputs["b"], inputs["chunk"], inputs["starts"].long()
    tokens, groups = a.shape[:2]
    owner = torch.bucketize(torch.arange(tokens), starts, right=True) - 1
    place = torch.arange(tokens) - starts[owner]
    scores = torch.zeros(len(starts) - 1, groups, chunk, chunk, dtype=torch.float64)
    for token in range(tokens):
        others = owner == owner[token]
        if inputs["causal"]:
            others &= torch.arange(tokens) <= token
        products = (a[token] * b[others]).sum(dim=-1)
        scores[owner[token], :, place[token], place[others]] = products.T
    return {"scores": scores}
