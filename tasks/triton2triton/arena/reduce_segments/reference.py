"""Parts of an attention brought to the highest score of all used segments, added and divided by their sum."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    segments, tile = inputs["highest"].shape[2], inputs["tile"]
    lengths = torch.repeat_interleave(inputs["lengths"].long(), inputs["starts"].long().diff())
    per_segment = -(-lengths // (segments * tile)) * tile
    used = torch.arange(segments, device=lengths.device) < -(-lengths // per_segment)[:, None]
    unused = ~used[:, None, :].expand_as(inputs["highest"])
    highest = inputs["highest"].masked_fill(unused, -math.inf)
    most = highest.amax(dim=2, keepdim=True)
    weights = torch.exp(highest - torch.where(most == -math.inf, 0.0, most))
    whole = (weights * inputs["total"].masked_fill(unused, 0.0)).sum(dim=2)
    added = torch.einsum("ths,thsd->thd", weights, inputs["part"].masked_fill(unused[..., None], 0.0))
    return {"out": added / torch.where(whole == 0, 1.0, whole)[..., None]}
