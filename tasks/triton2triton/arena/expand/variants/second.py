"""Each request's value for all of its tokens, token by token."""

from __future__ import annotations

import bisect

import torch


def reference(inputs):
    x, starts = inputs["x"].tolist(), inputs["starts"].tolist()
    owners = [bisect.bisect_right(starts, token) - 1 for token in range(inputs["tokens"])]
    values = [inputs["new"] if x[owner] == inputs["old"] else x[owner] for owner in owners]
    return {"out": torch.tensor(values, dtype=inputs["x"].dtype)}
