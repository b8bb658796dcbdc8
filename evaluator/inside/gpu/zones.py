"""torch's device memory with red zones: every tensor poisoned, and patterned bytes on both sides of it.

The library is hip/gpu_allocator.cpp. A GPU has no guard pages of this fineness, and its memory comes in pieces of
2 MiB, so that an access which is a few bytes off would otherwise go unnoticed.
"""

from __future__ import annotations

import ctypes

import torch
from torch.cuda.memory import CUDAPluggableAllocator, change_current_allocator


class GpuRedZones:
    """Has to come before the first tensor on the device."""

    def __init__(self, library: str) -> None:
        change_current_allocator(CUDAPluggableAllocator(library, "arena_allocate", "arena_release"))
        self._damaged = ctypes.CDLL(library).arena_damaged
        self._damaged.restype = ctypes.c_long
        self._synchronize = torch.cuda.synchronize

    def damaged(self) -> int:
        """How many tensors have a damaged zone: those alive, and those freed since the start.

        Raises:
            RuntimeError: the device does not answer any more.
        """
        self._synchronize()
        count = int(self._damaged())
        if count < 0:
            raise RuntimeError(f"CUDA error {-count}: the red zones cannot be read")
        return count
