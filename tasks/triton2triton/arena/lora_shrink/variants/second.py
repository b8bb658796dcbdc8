"""First half of LoRA: one token of one slice after the other."""

from __future__ import annotations

import torch


def reference(inputs):
    x, a, starts, order = inputs["x"], inputs["a"], inputs["starts"].tolist(), inputs["order"].tolist()
    out = torch.zeros(len(a), len(x), a.shape[2], dtype=x.dtype)
    for group, adapter in enumerate(inputs["ids"].tolist()):
        for token in order[starts[group] : starts[group + 1]]:
            for matrices, rows in zip(a, out, strict=True):
                if adapter >= 0:
                    rows[token] = (matrices[adapter] * (inputs["scale"] * x[token])).sum(1)
    return {"out": out}
