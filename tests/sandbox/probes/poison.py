"""Looks at memory nobody has written: fresh and reused, small and large. Prints the extreme bytes for each size."""

from __future__ import annotations

import json

import torch

seen = {}
for size in (1, 64, 1000, 40_000, 1 << 20, 1 << 24):
    fresh = torch.empty(size, dtype=torch.uint8)
    used = torch.zeros(size, dtype=torch.uint8)
    del used
    reused = torch.empty(size, dtype=torch.uint8)
    seen[size] = sorted({int(edge) for tensor in (fresh, reused) for edge in (tensor.min(), tensor.max())})
print(json.dumps(seen))
