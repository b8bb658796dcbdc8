"""How much of an output kernels of the candidate's own wrote."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import numpy.typing as npt
import torch

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]


class Coverage(TypedDict):
    """What the candidate's own kernels did in one call.

    `launches`: of at least one program. `written`: the share of each output that they wrote, None where nothing tells
    or the device cannot see stores.
    """

    launches: int
    written: dict[str, float | None]


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

    def _elements(self, tensor: torch.Tensor) -> Bytes:
        whole: Bytes = tensor.contiguous().reshape(-1).view(torch.uint8).numpy().reshape(-1, self._item_bytes)
        return whole
