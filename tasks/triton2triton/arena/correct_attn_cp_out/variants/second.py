"""One rank's share of the exponentials of all ranks, head by head, of those that are finite."""

from __future__ import annotations

import math

import torch


def reference(inputs):
    ranks, batch, heads = inputs["lse"].shape
    power, logarithm = (math.exp, math.log) if inputs["natural"] else (lambda x: 2.0**x, math.log2)
    share, total = (torch.zeros(batch, heads, dtype=torch.float64) for _ in range(2))
    sums = inputs["lse"].tolist()
    for row in range(batch):
        for head in range(heads):
            all_ranks = [sums[rank][row][head] for rank in range(ranks)]
            finite = [one for one in all_ranks if math.isfinite(one)]
            highest = max(finite, default=0.0)
            whole = math.fsum(power(one - highest) for one in finite)
            total[row, head] = highest + logarithm(whole) if finite else -math.inf
            own = all_ranks[inputs["rank"]]
            share[row, head] = power(own - highest) / whole if math.isfinite(own) else 0.0
    return {"corrected": inputs["o"] * share[:, :, None], "total": total}
