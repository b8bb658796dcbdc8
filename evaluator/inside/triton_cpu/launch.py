"""Launch JIT functions: bind as on the device, compile new specialisations, interpret."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, TypeAlias

from evaluator.inside.exceptions import sentence_of
from evaluator.inside.isa.compiler import Compilations, IsaCompilation
from evaluator.inside.isa.driver import gpu_target
from evaluator.inside.isa.launch import bind
from evaluator.inside.isa.targets import GFX942
from evaluator.inside.triton_cpu.errors import CompileFailed, DeviceAssertFailed, OutOfBounds, UnsupportedFeature
from evaluator.inside.triton_cpu.interpret import KernelCall, interpret

Arguments: TypeAlias = tuple[Any, ...]
Options: TypeAlias = dict[str, Any]
FAULTS = (OutOfBounds, DeviceAssertFailed, UnsupportedFeature)


class InterpretedLaunches:
    """The launches of this process. `compile`, `execute`: what a launch does; `count`: launches so far.

    `faults`: class and text of exceptions during interpretation, even if the candidate catches them. Compiler errors
    are in the reports.
    """

    def __init__(self) -> None:
        self.compile, self.execute, self.reverse, self.count = True, True, False, 0
        self.faults: list[tuple[str, str]] = []
        self._compilations = Compilations()
        self._lock = threading.RLock()

    def reports(self) -> list[dict[str, Any]]:
        """Return a report for each kernel, specialisation and target that was compiled, in order."""
        return self._compilations.reports()

    def launch(self, function: Any, arguments: Arguments, options: Options, grid: Any, warmup: bool) -> Launched:
        """Launch a JIT function; a warm-up only compiles it.

        Raises:
            CompileFailed, OutOfBounds, DeviceAssertFailed, UnsupportedFeature.
        """
        with self._lock:
            self.count += 1
            try:
                compilation = self._launch(function, arguments, options, grid, self.execute and not warmup)
            except FAULTS as fault:
                self.faults.append((type(fault).__name__, str(fault)))
                raise
        return Launched(self, function, options, compilation)

    @contextmanager
    def only_compiling(self) -> Iterator[None]:
        """Make launches only compile in this context: for the configurations that an autotuner tries."""
        execute, self.execute = self.execute, False
        try:
            yield
        finally:
            self.execute = execute

    def _launch(
        self, function: Any, arguments: Arguments, options: Options, grid: Any, execute: bool
    ) -> IsaCompilation | None:
        if function.is_gluon():
            raise UnsupportedFeature("Gluon")
        launch = bind(function, arguments, options)
        compilation = self._compilations.of(launch)[0] if self.compile else None  # for gfx942, which this host emulates
        if compilation and compilation.error:
            raise CompileFailed(compilation.kernel, compilation.target, compilation.error, compilation.skippable)
        if execute:
            for hook in function.pre_run_hooks:
                hook(*arguments, **options)
            call = KernelCall(function, launch.named, launch.types)
            _execute(call, grid, compiled=compilation is not None, reverse=self.reverse)
        return compilation


class Launched:
    """The result of a launch or warm-up: properties that candidates read from a compiled kernel, and a launcher."""

    def __init__(
        self, launches: InterpretedLaunches, function: Any, options: Options, compilation: IsaCompilation | None
    ) -> None:
        figures = compilation.resources if compilation else None
        self.n_regs = figures.vgpr if figures else 0
        self.n_spills = figures.spills if figures else 0
        self.metadata = SimpleNamespace(
            name=function.__name__,
            shared=figures.lds_bytes if figures else 0,
            num_warps=figures.num_warps if figures else options.get("num_warps", 4),
            target=gpu_target(GFX942),
        )
        self._launches, self._function = launches, function
        self._options = {name: value for name, value in options.items() if name not in function.arg_names}

    def __getitem__(self, grid: Any) -> Any:
        return lambda *arguments: self._launches.launch(self._function, arguments, self._options, grid, warmup=False)

    def _init_handles(self) -> None:
        """Do nothing; Triton's own method loads the code onto a device."""


def _execute(call: KernelCall, grid: Any, compiled: bool, reverse: bool) -> None:
    counts = grid(dict(call.arguments)) if callable(grid) else grid
    try:
        interpret(call, counts, reverse)
    except FAULTS:
        raise
    except Exception as error:  # code that compiles for the device raises no Python errors
        if not compiled:
            raise
        text = sentence_of(error)
        raise UnsupportedFeature(
            f"kernel {call.function.__name__} compiles, but its interpretation fails with {text}"
        ) from error
