"""Parts of an attention, request by request and segment by segment, from the keys that each segment has."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    out = torch.zeros_like(inputs["part"][:, :, 0])
    segments, tile, starts = inputs["highest"].shape[2], inputs["tile"], inputs["starts"].tolist()
    for request, length in enumerate(inputs["lengths"].tolist()):
        keys = tile
        while keys * segments < length:
            keys += tile
        used = [segment for segment in range(segments) if segment * keys < length]
        for token in range(starts[request], starts[request + 1]):
            for head in range(out.shape[1]):
                out[token, head] = _merged(*(inputs[name][token, head, used] for name in ("part", "highest", "total")))
    return {"out": out}


def _merged(part, highest, total):
    most = max(highest.tolist())
    weights = [math.exp(one - most) if one > -math.inf else 0.0 for one in highest.tolist()]
    whole = math.fsum(weight * one for weight, one in zip(weights, total.tolist(), strict=True))
    added = sum(weight * row for weight, row in zip(weights, part, strict=True))
    return added / whole if whole else torch.zeros_like(part[0])
