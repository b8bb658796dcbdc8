"""The Triton kernels that a worker launches on its GPU, each compiled for AMD's targets as well.

For the correctness gate only: a timed call is not watched. Launches are seen at JITFunction.run and not by Triton's
hooks: those know neither the options that were given nor the sizes of buffers, on which AMD's compiler specialises too.
"""

from __future__ import annotations

from typing import Any

from triton.runtime.jit import JITFunction

from evaluator.inside.isa.compiler import Compilations
from evaluator.inside.isa.launch import bind


class Launches:
    """Counts from its creation on. The children that compile are forked from a process with a device and touch none."""

    def __init__(self) -> None:
        self.count = 0
        self._compilations = Compilations()
        self._run = JITFunction.run
        JITFunction.run = self._watched()

    def reports(self) -> list[dict[str, Any]]:
        """One for each kernel, specialisation and target."""
        return self._compilations.reports()

    def _watched(self) -> Any:
        def run(function: Any, *arguments: Any, grid: Any, warmup: bool, **options: Any) -> Any:
            self.count += 1
            kernel = self._run(function, *arguments, grid=grid, warmup=warmup, **options)
            self._compilations.of(bind(function, arguments, options))
            return kernel

        return run
