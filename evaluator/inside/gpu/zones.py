"""Device memory with red zones for torch: every tensor is poisoned and has patterned bytes on both sides.

The library is hip/gpu_allocator.cpp. GPU memory is mapped in pieces of 2 MiB, too coarse for guard pages: an access a
few bytes off would otherwise go unnoticed.
"""

from __future__ import annotations

import ctypes

import torch
from torch.cuda.memory import CUDAPluggableAllocator, change_current_allocator


class GpuRedZones:
    """Replaces torch's allocator; create it before the first tensor on the device."""

    def __init__(self, library: str) -> None:
        change_current_allocator(CUDAPluggableAllocator(library, "arena_allocate", "arena_release"))
        self._damaged = ctypes.CDLL(library).arena_damaged
        self._damaged.restype = ctypes.c_long
        self._synchronize = torch.cuda.synchronize

    def damaged(self) -> int:
        """Return the number of tensors with damaged zones, alive or already freed.

        Raises:
            RuntimeError: the device fails.
        """
        self._synchronize()
        count = int(self._damaged())
        if count < 0:
            raise RuntimeError(f"CUDA error {-count}: the red zones cannot be read")
        return count
