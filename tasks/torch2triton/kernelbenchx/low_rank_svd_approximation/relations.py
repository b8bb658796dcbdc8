"""What holds of every best approximation of lower rank: it has that rank, and none of that rank is closer.

How far the best one is follows from the singular values of the matrix (Eckart and Young). Errors are relative to the
size of the matrix.
"""

from __future__ import annotations

import torch


def relations(inputs, outputs, reference):
    a, found, rank = inputs["a"], outputs["approximation"], inputs["rank"]
    size = _size(a).clamp_min(torch.finfo(torch.float32).tiny)
    beyond = torch.linalg.svdvals(found)[:, rank:].square().sum(-1).sqrt()
    best = torch.linalg.svdvals(a)[:, rank:].square().sum(-1).sqrt()
    return {"rank": beyond / size, "distance": (_size(a - found) - best) / size}


def _size(matrices):
    return matrices.square().sum((-2, -1)).sqrt()
