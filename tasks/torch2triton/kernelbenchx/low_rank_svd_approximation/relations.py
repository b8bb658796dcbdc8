"""What holds of every best approximation of lower rank: it has that rank, and none of that rank is closer.

How far the best one is follows from the singular values of the matrix (Eckart and Young). What it leaves of the matrix
is at right angles to it, from both sides; this shows errors that change the distance by their square alone, such as
factors in half precision. Errors are relative to the size of the matrix.
"""

from __future__ import annotations

import torch


def relations(inputs, outputs, reference):
    a, found, rank = inputs["a"], outputs["approximation"], inputs["rank"]
    size = _size(a).clamp_min(torch.finfo(torch.float32).tiny)
    beyond = torch.linalg.svdvals(found)[:, rank:].square().sum(-1).sqrt()
    best = torch.linalg.svdvals(a)[:, rank:].square().sum(-1).sqrt()
    left, part = ((a - found) / size[:, None, None], found / size[:, None, None])
    angle = torch.maximum(_size(part.mT @ left), _size(left @ part.mT))
    return {"rank": beyond / size, "distance": (_size(a - found) - best) / size, "angle": angle}


def _size(matrices):
    return matrices.square().sum((-2, -1)).sqrt()
