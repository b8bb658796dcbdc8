"""Sequences padded to one length, by writing all tokens into a tensor of padding at once."""

from __future__ import annotations

import torch


def reference(inputs):
    x, lengths, room = inputs["x"], inputs["lengths"].long(), inputs["room"]
    packed = inputs["pad"].expand(len(lengths) * room * x[0].numel()).reshape(len(lengths), room, *x.shape[1:]).clone()
    packed[torch.arange(room, device=x.device) < lengths[:, None]] = x
    return {"packed": packed}
