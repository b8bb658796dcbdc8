"""The Triton kernels that a worker launches on its GPU, also compiled for AMD's targets.

Only the correctness gate uses this; timed calls are not recorded. Launches are recorded in JITFunction.run rather than
by Triton's hooks, which see neither the options given nor the sizes of buffers that AMD's compiler specialises on.
They are compiled when the report is requested, so that calls are not slowed down.
"""

from __future__ import annotations

import os
from time import monotonic
from typing import Any

from triton.runtime.jit import JITFunction

from evaluator.inside.isa.compiler import LIMIT_S, Compilations
from evaluator.inside.isa.launch import Launch, bind
from evaluator.inside.isa.targets import NOT_IN_TIME, TARGETS

MAX_SPECIALISATIONS = 200  # for two targets each; a record holds 400 kernels of a side
COMPILE_S = 240.0  # in total; the judge waits a little longer for a report (judge/side.py)


class Launches:
    """Records launches from now on. Children that compile are forked from a process with a device, but use none."""

    def __init__(self) -> None:
        self.count = 0
        self._seen: dict[tuple[int, str], Launch] = {}
        self._compilations = Compilations()
        self._run = JITFunction.run
        JITFunction.run = self._watched()

    def reports(self) -> list[dict[str, Any]]:
        """Return a report for each kernel, specialisation and target; compile new ones for at most COMPILE_S."""
        until = monotonic() + COMPILE_S
        launches, step = list(self._seen.values()), max(1, len(os.sched_getaffinity(0)) // len(TARGETS))
        for some in (launches[start : start + step] for start in range(0, len(launches), step)):
            if (left_s := until - monotonic()) > 0:
                self._compilations.of_all(some, min(left_s, LIMIT_S))
                continue
            for launch in some:
                self._compilations.give_up(launch, f"{NOT_IN_TIME} {COMPILE_S:g} s for all launches")
        return self._compilations.reports()

    def _watched(self) -> Any:
        def run(function: Any, *arguments: Any, grid: Any, warmup: bool, **options: Any) -> Any:
            self.count += 1
            kernel = self._run(function, *arguments, grid=grid, warmup=warmup, **options)
            self._note(bind(function, arguments, options))
            return kernel

        return run

    def _note(self, launch: Launch) -> None:
        if launch.identity not in self._seen and len(self._seen) < MAX_SPECIALISATIONS:
            self._seen[launch.identity] = launch.without_memory()
