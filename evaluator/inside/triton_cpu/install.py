"""Install the emulated device in Triton: active driver, launches of JIT functions, the autotuner's benchmark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import triton
import triton.testing
from triton import knobs
from triton.runtime import interpreter
from triton.runtime.autotuner import Autotuner
from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction

from evaluator.inside import descriptor_types
from evaluator.inside.triton_cpu.driver import Gfx942Driver, benchmark_once
from evaluator.inside.triton_cpu.dtypes import numpy_dtype
from evaluator.inside.triton_cpu.errors import CompileFailed, TritonChanged
from evaluator.inside.triton_cpu.interpret import Interpretation
from evaluator.inside.triton_cpu.launch import InterpretedLaunches


@cache
def install() -> InterpretedLaunches:
    """Change Triton for the rest of the process; a second call returns the same launches."""
    if knobs.runtime.interpret:
        raise TritonChanged("TRITON_INTERPRET is set: kernels would be bound to Triton's own interpreter")
    launches = InterpretedLaunches()
    descriptor_types.install()
    driver.set_active(Gfx942Driver())
    interpreter._get_np_dtype = numpy_dtype  # Triton's own function builds a table in every call
    JITFunction.run = _run(launches)
    JITFunction.__call__ = _call
    Autotuner.do_bench = property(lambda autotuner: _try_configuration(launches))
    triton.testing.do_bench = triton.testing.do_bench_cudagraph = benchmark_once
    return launches


def _run(launches: InterpretedLaunches) -> Callable[..., Any]:
    def run(self: Any, *arguments: Any, grid: Any, warmup: bool, **options: Any) -> Any:
        return launches.launch(self, arguments, options, grid, warmup)

    return run


def _call(self: Any, *arguments: Any, **options: Any) -> Any:
    """Call a JIT function from another one."""
    if Interpretation.current is None:
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")  # Triton's own message
    return Interpretation.current.body(self)(*arguments, **options)


def _try_configuration(launches: InterpretedLaunches) -> Callable[..., Sequence[float]]:
    """Return a benchmark that gives the same time for all configurations that compile, so the first is chosen."""

    def bench(call: Callable[[], object], quantiles: Sequence[float] = (0.5,), **options: object) -> Sequence[float]:
        try:
            with launches.only_compiling():
                call()
        except CompileFailed as failure:
            if not failure.skippable:
                raise
            return [float("inf")] * len(quantiles)
        return [1.0] * len(quantiles)

    return bench
