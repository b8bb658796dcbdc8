"""The same, row by row: a mean of rows of w2 by exponentials, with mean and biased variance written out."""

from __future__ import annotations

import torch


def reference(inputs):
    x, w1, w2, residual = (inputs[name] for name in ("x", "w1", "w2", "residual"))
    rows = []
    for at, row in enumerate(x):
        logits = (row[:, None] * w1).sum(0)
        powers = (logits - logits.max()).exp()
        kept = torch.where(inputs["keep"][at] != 0, powers, 0.0) / powers.sum() / (1 - inputs["p"])
        y = (kept[:, None] * w2).sum(0) + residual[at if len(residual) > 1 else 0]
        y = y - y.mean()
        rows.append(y / (y.square().mean() + inputs["eps"]).sqrt())
    return {"out": torch.stack(rows)}
