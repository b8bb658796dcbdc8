"""The judge's side of the fiber runtime in a loaded extension: evaluator/hip/cpu/runtime/host_api.cpp."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

MAX_TEXT = 1000


class FiberRuntime:
    """The runtime of one extension. `owner`: the address of a C function that says whether a tensor holds an address,
    or None if nothing knows; then pointers of the host cannot be told apart.
    """

    def __init__(self, extension: Path, owner: int | None) -> None:
        self._library = ctypes.CDLL(str(extension))
        self._library.hipcpu_attach(ctypes.c_void_p(owner))

    def order_lanes(self, seed: int) -> None:
        """Draw the order of blocks, waves and lanes of every launch from the seed; 0: they run upwards."""
        self._library.hipcpu_order(ctypes.c_uint64(seed))

    def refused_launch(self) -> str:
        """Say why a launch was refused that the candidate did not ask about, once; empty where none was."""
        text = ctypes.create_string_buffer(MAX_TEXT)
        self._library.hipcpu_unasked(text, ctypes.c_size_t(MAX_TEXT))
        return text.value.decode(errors="replace")

    def launches(self) -> int:
        """Return how many launches have run so far, without refused ones and empty grids."""
        return int(self._library.hipcpu_launched())

    def kernels_that_ran(self) -> Iterator[str]:
        """Yield the name of every kernel that was launched and not refused, as a demangler spells it."""
        text, number = ctypes.create_string_buffer(MAX_TEXT), 0
        while self._library.hipcpu_ran(ctypes.c_size_t(number), text, ctypes.c_size_t(MAX_TEXT)):
            yield text.value.decode(errors="replace")
            number += 1
