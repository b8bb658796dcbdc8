"""The mean of the product, row by row, and the covariance, as a sum over what can be dropped."""

from __future__ import annotations

import torch


def reference(inputs):
    logs, mat = _logs(inputs), inputs["mat"]
    return {"out": torch.stack([torch.stack([row @ mat[at] for row in each]) for at, each in enumerate(logs)])}


def covariance(inputs, rows, columns):
    logs, mat, p = _logs(inputs), inputs["mat"], inputs["p"]
    found = torch.zeros(len(rows), len(columns), len(columns), dtype=logs.dtype, device=logs.device)
    for place, row in enumerate(rows.tolist()):
        at, of_batch = divmod(row, logs.shape[1])
        for log, entries in zip(logs[at, of_batch], mat[at][:, columns], strict=True):
            found[place] += log**2 * (1 / (1 - p) - 1) * torch.outer(entries, entries)
    return {"out": found}


def _logs(inputs):
    sums = inputs["a"] * inputs["b"] + inputs["c"]
    return sums - torch.logsumexp(sums, dim=-1, keepdim=True)
