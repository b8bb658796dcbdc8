"""The memory that a kernel may access: every live storage, so that pointers may also come from tables.

The arguments' storages are checked first. Only when a lane misses them are the process's other tensors searched
(30 ms, at most once per launch). A tensor on part of a larger buffer (torch.frombuffer) counts with its own bytes.
"""

from __future__ import annotations

import gc
from bisect import bisect_right
from collections.abc import Iterable

import numpy as np
import torch

from evaluator.inside.triton_cpu.dtypes import Array

Range = tuple[int, int]  # first byte, one past the last


class Bounds:
    """Checks addresses of lanes against the storages of `arguments`, then against all live ones."""

    def __init__(self, arguments: Iterable[torch.Tensor]) -> None:
        self._own = [_range(tensor) for tensor in arguments]
        self._all_known = False
        self._set(self._own)

    def outside(self, addresses: Array, item_bytes: int) -> int:
        """Return how many of the addressed items are at least partly outside all live storages."""
        if addresses.size == 0 or self._in_one_storage(addresses, item_bytes):
            return 0
        count = self._count_outside(addresses, item_bytes)
        if count and not self._all_known:
            self._all_known = True
            self._set([*self._own, *map(_range, _live_tensors())])
            count = self._count_outside(addresses, item_bytes)
        return count

    def storage_of(self, address: int) -> Range:
        """Return the live storage that a valid address lies in."""
        index = bisect_right(self._begins, address) - 1
        return self._begins[index], self._ends[index]

    def _set(self, ranges: list[Range]) -> None:
        merged = _merged(ranges)
        self._begins = [begin for begin, _ in merged]
        self._ends = [end for _, end in merged]

    def _in_one_storage(self, addresses: Array, item_bytes: int) -> bool:
        """Return whether all items are in one storage, the common case, by the lowest and highest address."""
        index = bisect_right(self._begins, int(addresses.min())) - 1
        return index >= 0 and int(addresses.max()) + item_bytes <= self._ends[index]

    def _count_outside(self, addresses: Array, item_bytes: int) -> int:
        if not self._begins:
            return int(addresses.size)
        begins, ends = np.array(self._begins, np.uint64), np.array(self._ends, np.uint64)
        flat = addresses.reshape(-1)
        index = np.searchsorted(begins, flat, side="right") - 1
        after = flat + np.uint64(item_bytes)  # wraps for addresses near 2**64
        return int(((index < 0) | (after > ends[index]) | (after < flat)).sum())


def _range(tensor: torch.Tensor) -> Range:
    storage = tensor.untyped_storage()
    return storage.data_ptr(), storage.data_ptr() + storage.nbytes()


def _merged(ranges: Iterable[Range]) -> list[Range]:
    """Return the ranges sorted and without overlaps, as storages may contain each other; neighbours stay separate."""
    merged: list[Range] = []
    for begin, end in sorted(ranges):
        if merged and begin < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > begin:
            merged.append((begin, end))
    return merged


def _live_tensors() -> list[torch.Tensor]:
    """Find tensors by exact type, since isinstance would run the `__class__` of lazy objects."""
    return [thing for thing in gc.get_objects() if issubclass(type(thing), torch.Tensor) and _has_memory(thing)]


def _has_memory(tensor: torch.Tensor) -> bool:
    return tensor.layout is torch.strided and not tensor.is_meta
