"""Exponents without the usual outliers: where the answer is below float32's least number, PyTorch's on a GPU is NaN."""

from __future__ import annotations

import torch

SPECIAL = {
    "whole": [2.0, 3.0, 4.0],
    "near_one": [1.0009765625, 1.001953125, 1.00390625],
    "edges": [0.5, 1.0, 1.5, 3.0],
    "below": [2.0, 2.5, 3.0, 4.0],
    "large_q": [1.5, 2.0, 2.5],
    "large_s": [20.0, 25.5, 30.0],
}


def draw(axes, name, generator):
    options = {"generator": generator, "device": generator.device}
    shape = (axes["rows"], axes["cols"])
    if name in SPECIAL:
        letters = torch.tensor(SPECIAL[name], device=generator.device)
        return {"s": letters[torch.randint(len(letters), shape, **options)]}
    s = 1.5 + 3.5 * torch.rand(shape, **options)
    if name == "outlier":  # q has outliers too, up to 160
        s = torch.where(torch.rand(shape, **options) < 0.01, 12.0, s)
    return {"s": s}
