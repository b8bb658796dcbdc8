"""Attention of queries to items, one hidden feature after the other, with tanh and softmax written out."""

from __future__ import annotations

import torch


def reference(inputs):
    query, item = (
        torch.einsum("ntf,hf->nth", inputs[name], inputs["weight"]) + inputs["bias"] for name in ("query", "item")
    )
    scores = query.new_zeros(query.shape[0], item.shape[0], query.shape[1], item.shape[1])
    for hidden in range(query.shape[2]):
        product = query[:, None, :, None, hidden] * item[None, :, None, :, hidden]
        scores += 1 - 2 / (torch.exp(2 * product) + 1)
    grown = torch.exp(scores - scores.amax(dim=3, keepdim=True))
    shares = grown / grown.sum(dim=3, keepdim=True)
    return {"y": torch.einsum("qpij,pjf->qpif", shares, inputs["item"])}
