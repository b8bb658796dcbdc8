"""What the kernels of a call wrote: which bytes of which storages, and with what values.

The values tell a kernel's output from one that torch wrote afterwards into the same memory, even if its storage was
freed and the address given out again in between.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

from evaluator.inside.triton_cpu.bounds import Bounds
from evaluator.inside.triton_cpu.dtypes import Array

WORDS: dict[int, Any] = {2: np.uint16, 4: np.uint32, 8: np.uint64}
MARK = 0xFF


class Written:
    """Collects the stores of launches; `launches` counts those that ran at least one program."""

    def __init__(self) -> None:
        self.launches = 0
        self._storages: dict[tuple[int, int], _Storage] = {}

    def note(self, addresses: Array, item_bytes: int, bounds: Bounds) -> None:
        """Note a store to valid addresses."""
        while addresses.size:
            begin, end = bounds.storage_of(int(addresses.min()))
            inside = addresses < end
            self._storage(begin, end).mark(addresses if inside.all() else addresses[inside], item_bytes)
            addresses = addresses[~inside]

    def settle(self) -> None:
        """Note the values at the end of a launch."""
        for storage in self._storages.values():
            storage.settle()

    def covers(self, address: int, size: int) -> Array:
        """Return for each byte whether it still has the value that a kernel wrote there last."""
        covered = np.zeros(size, bool)
        for storage in self._storages.values():
            first, last = max(address, storage.begin), min(address + size, storage.begin + storage.size)
            if first < last:
                inside = slice(first - storage.begin, last - storage.begin)
                kept = (storage.marks[inside] == MARK) & (storage.values[inside] == _memory(first, last - first))
                covered[first - address : last - address] |= kept
        return covered

    def buffers(self) -> Iterator[tuple[Array, Array]]:
        """Yield the bytes of every storage that kernels wrote to, and which of them they wrote."""
        for storage in self._storages.values():
            yield storage.values, storage.marks == MARK

    def _storage(self, begin: int, end: int) -> _Storage:
        if (begin, end) not in self._storages:
            self._storages[begin, end] = _Storage(begin, end - begin)
        return self._storages[begin, end]


class _Storage:
    """The bytes of one storage: `marks` where kernels wrote, with their `values`; `_fresh` in the running launch."""

    def __init__(self, begin: int, size: int) -> None:
        self.begin, self.size = begin, size
        self.marks, self.values = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
        self._fresh, self._touched = np.zeros(-(-size // 8) * 8, np.uint8), False

    def mark(self, addresses: Array, item_bytes: int) -> None:
        self._touched = True
        offsets = addresses.astype(np.int64) - self.begin
        word = WORDS.get(item_bytes)
        if word is not None and not (offsets % item_bytes).any():
            self._fresh.view(word)[offsets // item_bytes] = ~word(0)
            return
        for byte in range(item_bytes):
            self._fresh[offsets + byte] = MARK

    def settle(self) -> None:
        if self._touched:
            fresh = self._fresh[: self.size]
            np.copyto(self.values, _memory(self.begin, self.size), where=fresh == MARK)
            self.marks |= fresh
            self._fresh[:], self._touched = 0, False


def _memory(address: int, size: int) -> Array:
    array: Array = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))
    return array
