"""Reads uninitialised memory, new and reused, small and large; prints the extreme bytes for each size."""

from __future__ import annotations

import ctypes
import json

import torch

seen = {}
for size in (1, 64, 1000, 40_000, 1 << 20, 1 << 24):
    fresh = torch.empty(size, dtype=torch.uint8)
    used = torch.zeros(size, dtype=torch.uint8)
    del used
    reused = torch.empty(size, dtype=torch.uint8)
    seen[size] = sorted({int(edge) for tensor in (fresh, reused) for edge in (tensor.min(), tensor.max())})
libc = ctypes.CDLL(None)  # what C code gets, without torch's aligned allocation in between
libc.malloc.restype = ctypes.c_void_p
for size in (100, 1000):
    block = libc.malloc(size)
    ctypes.memset(block, 0, size)
    libc.free(ctypes.c_void_p(block))
    seen[f"malloc {size}"] = sorted(set(ctypes.string_at(libc.malloc(size), size)))
print(json.dumps(seen))
