"""Writes of very different lengths to distinct rows, now and then two to one row, each somewhere in its row."""

from __future__ import annotations

import math

import torch

SPARE = 4  # of the values, one in so many is nobody's, where some are


def draw(axes, name, generator):
    writes, values, width = axes["writes"], axes["values"], axes["width"]
    options = {"generator": generator, "device": generator.device}
    lengths = _lengths(writes, values - values // SPARE * (name == "spare_values"), width, name, options)
    if name == "no_writes":
        lengths = torch.zeros_like(lengths)
    row = torch.randperm(axes["rows"], **options)[:writes]
    column = (torch.rand(writes, dtype=torch.float64, **options) * (width - lengths + 1)).long()
    column = column.clamp(max=width - lengths)
    if name == "at_the_end":
        column = width - lengths
    first = torch.arange(0, writes - 1, 4, device=generator.device)
    first = first[lengths[first] + lengths[first + 1] <= width]
    row[first + 1] = row[first]
    column[first], column[first + 1] = 0, lengths[first]
    starts = torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
    return {"row": row, "column": column, "starts": starts}


def _lengths(writes, values, width, name, options):
    """Return lengths up to the width that add up to all values: uniform in their logarithm, an eighth of them 0."""
    weights = torch.exp(torch.rand(writes, dtype=torch.float64, **options) * math.log(width + 1))
    weights[torch.rand(writes, **options) < 0.125] = 0
    if name == "one_long":
        weights = torch.zeros_like(weights)
    lengths = (weights * (values / max(1.0, float(weights.sum())))).long().clamp(max=width)
    room = width - lengths
    missing = values - int(lengths.sum())
    return lengths + (missing - (room.cumsum(0) - room)).clamp(min=0).minimum(room)
