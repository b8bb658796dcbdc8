"""How much of an output kernels of the candidate's own wrote."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import numpy.typing as npt
import torch

Bytes = npt.NDArray[np.uint8]
DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32)  # of buffers
Flags = npt.NDArray[np.bool_]


class CoverageReport(TypedDict):
    """What the candidate's own kernels did in one call.

    `launches`: of at least one program. `written`: the share of each output that they wrote, None where nothing tells
    or the device cannot see stores. `copied`: outputs that torch copied or converted from a buffer that they wrote.
    """

    launches: int
    written: dict[str, float | None]
    copied: list[str]


class OutputBytes:
    """The memory of a contiguous output on the CPU; `before`: the contents of the input that it shares memory with."""

    def __init__(self, output: torch.Tensor, before: torch.Tensor | None) -> None:
        self.address, self.size = output.data_ptr(), output.numel() * output.element_size()
        self._item_bytes, self._output, self._before = output.element_size(), output, before

    def share(self, covered: Flags) -> float | None:
        """Return the share of elements of which every byte is covered.

        Elements that are not, but are 0 or as they were, count on neither side: nobody had to write them.
        """
        if not self.size:
            return None
        now = self._elements(self._output)
        kept = ~now.any(axis=1)
        if self._before is not None:
            kept |= (now == self._elements(self._before)).all(axis=1)
        written = covered.reshape(-1, self._item_bytes).all(axis=1)
        counted = int((written | ~kept).sum())
        return int(written.sum()) / counted if counted else None

    def is_copy_of(self, values: Bytes, written: Flags) -> bool:
        """Return whether these bytes, all written by kernels, are the output's elements in order, of whatever dtype."""
        count = self._output.numel()
        if not count or len(values) % count or not written.all():
            return False
        whole = torch.from_numpy(values.copy())
        same_width = [dtype for dtype in DTYPES if dtype.itemsize * count == len(values)]
        now = self._elements(self._output)
        return any(
            np.array_equal(self._elements(whole.view(dtype).to(self._output.dtype)), now)
            for dtype in (self._output.dtype, *same_width)
            if dtype.itemsize * count == len(values)
        )

    def _elements(self, tensor: torch.Tensor) -> Bytes:
        whole: Bytes = tensor.contiguous().reshape(-1).view(torch.uint8).numpy().reshape(-1, self._item_bytes)
        return whole
