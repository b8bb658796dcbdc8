"""The backend cpu without its compilers for gfx942, which take most of the seconds of a build or of first calls.

For sources whose verdict does not depend on it; honest candidates and the tasks' own are compiled for both.
"""

from __future__ import annotations

import functools
import shutil
from dataclasses import fields, replace
from typing import Any

from evaluator.backends.cpu import CpuBackend
from evaluator.hip.prepare import HipToolchain
from evaluator.judge.builds import build_file
from evaluator.judge.side import Runner, Side
from evaluator.pipeline import Evaluator
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec


class NativeBackend(CpuBackend):
    @functools.cached_property
    def both(self) -> HipToolchain:
        return super().toolchain

    @functools.cached_property
    def toolchain(self) -> HipToolchain:
        both = self.both
        return replace(both, key=f"{both.key}-native", gfx942_available=False, gfx942_reason="left out by a test")


class NativeSide(Side):
    """A side whose Triton kernels are interpreted and not compiled."""

    __slots__ = ()

    def runner(self, **options: Any) -> Runner:
        return super().runner(**options | {"cross_compile": False})


class NativeEvaluator(Evaluator):
    """Compiles nothing for gfx942, so it finds no kernel in Triton candidates and holds them, but fails none."""

    def __init__(self) -> None:
        self.native = NativeBackend()
        super().__init__(self.native)

    def _side(self, task: TaskSpec, files: Candidate) -> Side:
        self._reuse_build(files)
        side = super()._side(task, files)
        return NativeSide(**{field.name: getattr(side, field.name) for field in fields(side)})

    def _reuse_build(self, files: Candidate) -> None:
        """Take what an evaluation for both has built of a source, such as the task's baseline."""
        source = next(iter(files.files.values()))
        built, here = (build_file(source, toolchain) for toolchain in (self.native.both, self.native.toolchain))
        if built.exists() and not here.exists():
            here.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(built, here)
