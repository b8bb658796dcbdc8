"""Second half of LoRA: one token after the other, whose slices are spread to all columns first."""

from __future__ import annotations

import torch


def reference(inputs):
    u, b, y = inputs["u"], inputs["b"], inputs["y"].clone()
    starts, order = inputs["starts"].tolist(), inputs["order"].tolist()
    slice_of = torch.repeat_interleave(torch.arange(len(u)), inputs["bounds"].long().diff())
    columns = slice(inputs["before"], inputs["before"] + b.shape[1])
    for group, adapter in enumerate(inputs["ids"].tolist()):
        for token in order[starts[group] : starts[group + 1]] if adapter >= 0 else []:
            product = (u[slice_of, token] * b[adapter]).sum(1)
            y[token, columns] = product + y[token, columns] if inputs["add"] else product
    return {"new_y": y}
