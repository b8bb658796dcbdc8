"""A table after some writes, a slice after the other."""

from __future__ import annotations

import torch


def reference(inputs):
    table, data, starts = (inputs[name].tolist() for name in ("table", "data", "starts"))
    for write, (row, column) in enumerate(zip(inputs["row"].tolist(), inputs["column"].tolist(), strict=True)):
        values = data[starts[write] : starts[write + 1]]
        table[row][column : column + len(values)] = values
    return {"written": torch.tensor(table)}
