"""The kernels of all cases, compiled ahead: noted in calls that launch nothing, then compiled over all cores.

A worker that does this answers nothing. What Triton keeps of its kernels goes to the later workers of the same side
(kernel_files.py), whose launches then find it; a launch that was not noted, or noted with other values, compiles there.

Triton's autotuner still times its configurations in every process: only what it compiles for them is ready.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from time import monotonic
from types import SimpleNamespace
from typing import Any

import triton.testing
from triton.runtime.autotuner import Autotuner
from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction

from evaluator.inside.exceptions import sentence_of
from evaluator.inside.isa.child import Child
from evaluator.inside.isa.driver import DriverOf
from evaluator.inside.isa.launch import Launch, bind
from evaluator.inside.triton_cpu.driver import benchmark_once

MAX_SPECIALISATIONS = 400
MAX_CHILDREN = 16  # each with a ptxas or gcc of its own; a sandbox may have 128 processes and threads


class Ahead:
    """Notes launches, each specialisation once."""

    def __init__(self) -> None:
        self._noted: dict[tuple[int, str], Launch] = {}

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note launches instead of making them; an autotuner tries every configuration once and takes the first."""
        run, measure = JITFunction.run, Autotuner.do_bench
        benches = triton.testing.do_bench, triton.testing.do_bench_cudagraph
        JITFunction.run = self._instead_of(run)
        Autotuner.do_bench = property(lambda autotuner: benchmark_once)
        triton.testing.do_bench = triton.testing.do_bench_cudagraph = benchmark_once
        try:
            yield
        finally:
            JITFunction.run, Autotuner.do_bench = run, measure
            triton.testing.do_bench, triton.testing.do_bench_cudagraph = benches

    def compile(self, limit_s: float) -> dict[str, object]:
        """Compile what was noted into Triton's cache folder, in children without a device; return what failed.

        After `limit_s` seconds the rest is left to later workers.
        """
        active, until = driver.active, monotonic() + limit_s
        target, launcher = active.get_current_target(), getattr(active, "launcher_cls", None)
        jobs = [partial(_compile, launch, target, launcher) for launch in self._noted.values()]
        width = min(len(os.sched_getaffinity(0)), MAX_CHILDREN)
        waiting, running, failed = deque(jobs), deque[Child](), list[str]()
        while waiting or running:
            while waiting and len(running) < width:
                running.append(Child(waiting.popleft(), max(0.0, until - monotonic())))
            if error := running.popleft().result().get("error"):
                failed.append(str(error))
        return {"noted": len(jobs), "failed": failed}

    def _instead_of(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def note(function: Any, *arguments: Any, grid: Any, warmup: bool, **options: Any) -> Any:
            if warmup:  # launches nothing, and its result is asked for registers and shared memory
                return run(function, *arguments, grid=grid, warmup=True, **options)
            launch = bind(function, arguments, options)
            if len(self._noted) < MAX_SPECIALISATIONS:
                self._noted.setdefault(launch.identity, launch.without_memory())
            return SimpleNamespace(n_regs=0, n_spills=0)

        return note


def _compile(launch: Launch, target: Any, launcher: Any) -> dict[str, Any]:
    """Compile one launch into Triton's cache folder, and where C code launches it, as in Triton 3.6, that code too."""
    try:
        kernel = launch.compiled_by(DriverOf(target))
    except Exception as error:  # a real launch will show it
        return {"error": sentence_of(error)}
    with suppress(Exception):  # of a class that asks for the device
        launcher(kernel.src, kernel.metadata)
    return {}
