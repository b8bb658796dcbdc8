"""The swizzled order of a matrix's tiles, counted band by band, column by column, row by row."""

from __future__ import annotations

import torch


def reference(inputs):
    rows, cols, group = inputs["rows"], inputs["cols"], inputs["group"]
    number, out = int(inputs["first"]), torch.empty(rows, cols, dtype=torch.int64)
    for top in range(0, rows, group):
        for col in range(cols):
            for row in range(top, min(top + group, rows)):
                out[row, col] = number
                number += 1
    return {"out": out}
