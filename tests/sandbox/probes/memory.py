"""Allocates far more memory than allowed: in Python, in torch, and in memory files."""

from __future__ import annotations

import json
import os

import torch

said = []
for ask in (
    lambda: bytearray(20 << 30),
    lambda: torch.empty(20 << 30, dtype=torch.uint8),
    lambda: os.memfd_create("hoard"),
):
    try:
        ask()
        said.append("granted")
    except (MemoryError, RuntimeError, OSError) as error:
        said.append(type(error).__name__)
print(json.dumps(said))
