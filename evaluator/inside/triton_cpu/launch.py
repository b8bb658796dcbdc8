"""Every launch of a JIT function: bound as on the device, compiled if its specialisation is new, interpreted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, TypeAlias

from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction, compute_cache_key

from evaluator.inside.triton_cpu import compiler
from evaluator.inside.triton_cpu.compiler import Compilation
from evaluator.inside.triton_cpu.driver import GFX942
from evaluator.inside.triton_cpu.errors import DeviceAssertFailed, OutOfBounds, UnsupportedFeature
from evaluator.inside.triton_cpu.interpret import Call, interpret

Arguments: TypeAlias = tuple[Any, ...]
Options: TypeAlias = dict[str, Any]
TRITONS_RUN = JITFunction.run
FAULTS = (OutOfBounds, DeviceAssertFailed, UnsupportedFeature)


class Launches:
    """What this process launches. `compile` and `execute` say what a launch does, `count` how many there were.

    `faults` has class and text of what interpretation ended in, also where the candidate swallowed it; what the
    compiler refused is in the reports.
    """

    def __init__(self) -> None:
        self.compile, self.execute, self.reverse, self.count = True, True, False, 0
        self.faults: list[tuple[str, str]] = []
        self._compilations: dict[tuple[int, str], tuple[Any, Compilation]] = {}
        self._lock = threading.RLock()

    def reports(self) -> list[dict[str, Any]]:
        """One for each kernel and specialisation that was compiled, in order."""
        return [compilation.report() for _, compilation in self._compilations.values()]

    def launch(self, function: Any, arguments: Arguments, options: Options, grid: Any, warmup: bool) -> Launched:
        """Raises CompileFailed, OutOfBounds, DeviceAssertFailed or UnsupportedFeature. A warm-up compiles only."""
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
        """For the configurations that an autotuner tries."""
        execute, self.execute = self.execute, False
        try:
            yield
        finally:
            self.execute = execute

    def _launch(
        self, function: Any, arguments: Arguments, options: Options, grid: Any, execute: bool
    ) -> Compilation | None:
        if function.is_gluon():
            raise UnsupportedFeature("Gluon")
        call, key = _bound(function, arguments, options)
        compilation = self._compiled(function, key, arguments, options) if self.compile else None
        if compilation and compilation.error:
            raise compilation.failure()
        if execute:
            for hook in function.pre_run_hooks:
                hook(*arguments, **options)
            _execute(call, grid, compiled=compilation is not None, reverse=self.reverse)
        return compilation

    def _compiled(self, function: Any, key: str, arguments: Arguments, options: Options) -> Compilation:
        identity = (id(function), key)
        if identity not in self._compilations:
            compilation = compiler.compile_in_child(
                function.__name__, lambda: _compile_here(function, arguments, options)
            )
            self._compilations[identity] = function, compilation  # holding the function keeps its id unique
        return self._compilations[identity][1]


class Launched:
    """What a launch or a warm-up returns: the figures that candidates read from a compiled kernel, and a launcher."""

    def __init__(self, launches: Launches, function: Any, options: Options, compilation: Compilation | None) -> None:
        figures = compilation.resources if compilation else None
        self.n_regs = figures.vgpr if figures else 0
        self.n_spills = figures.spills if figures else 0
        self.metadata = SimpleNamespace(
            name=function.__name__,
            shared=figures.lds if figures else 0,
            num_warps=figures.num_warps if figures else options.get("num_warps", 4),
            target=GFX942,
        )
        self._launches, self._function = launches, function
        self._options = {name: value for name, value in options.items() if name not in function.arg_names}

    def __getitem__(self, grid: Any) -> Any:
        return lambda *arguments: self._launches.launch(self._function, arguments, self._options, grid, warmup=False)

    def _init_handles(self) -> None:
        """Loads the code onto a device, in Triton."""


def _bound(function: Any, arguments: Arguments, options: Options) -> tuple[Call, str]:
    """Triton's own binder says which types, alignments and constants a launch is specialised on."""
    _, keys, *_, binder = function.device_caches[driver.active.get_current_device()]
    named, specialization, rest = binder(*arguments, **options)
    key = compute_cache_key(keys, specialization, rest)
    return Call(function, named, [dtype for dtype, _ in specialization]), key


def _compile_here(function: Any, arguments: Arguments, options: Options) -> Any:
    function.pre_run_hooks = []
    return TRITONS_RUN(function, *arguments, grid=None, warmup=True, **options)


def _execute(call: Call, grid: Any, compiled: bool, reverse: bool) -> None:
    counts = grid(dict(call.arguments)) if callable(grid) else grid
    try:
        interpret(call, counts, reverse)
    except FAULTS:
        raise
    except Exception as error:  # the interpreter's border: code that compiles for the device has no Python errors
        if not compiled:
            raise
        text = f"{type(error).__name__}: {error}"
        raise UnsupportedFeature(
            f"kernel {call.function.__name__} compiles, its interpretation ends in {text}"
        ) from error
