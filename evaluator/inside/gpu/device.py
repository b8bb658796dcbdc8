"""A worker's device operations on a GPU, with Triton's own runtime and compiler.

ROCm's torch has the torch.cuda interface too, so this is for AMD and NVIDIA cards.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from triton import knobs
from triton.backends import backends
from triton.errors import TritonError
from triton.runtime.cache import triton_key
from triton.runtime.driver import driver

from evaluator.inside import descriptor_types, loading
from evaluator.inside.coverage import CoverageReport, OutputBytes
from evaluator.inside.gpu.ahead import Ahead
from evaluator.inside.gpu.launches import Launches
from evaluator.inside.gpu.zones import GpuRedZones
from evaluator.inside.limits import DeviceKind

VENDOR = "amd" if torch.version.hip else "nvidia"
OTHERS_OPTIONS = {"nvidia": ("waves_per_eu", "matrix_instr_nonkdim", "kpack"), "amd": ("maxnreg",)}
LLVM_REFUSES = "PassManager::run failed"  # from a RuntimeError of Triton's native code


class GpuDevice:
    """`allocator`: the library with red zones, None for torch's own. `cross_compile`: compile launches for AMD too.

    `ahead`: calls that only compile launch nothing, and what they note is compiled afterwards.
    """

    kind: DeviceKind = "cuda"

    def __init__(self, allocator: str | None, cross_compile: bool, ahead: bool = False) -> None:
        self._zones = None if allocator is None else GpuRedZones(allocator)  # before any tensor is made
        self._synchronize = torch.cuda.synchronize  # bound before a candidate is loaded
        torch.zeros(1, device="cuda")
        self._synchronize()
        ignore_options_of_others()
        descriptor_types.install()
        self._launches = Launches() if cross_compile else None
        self._ahead = Ahead() if ahead else None

    def load(self, path: Path) -> ModuleType:
        return (loading.load_extension if path.suffix == ".so" else loading.load_python)(path)

    def set_order(self, seed: int) -> None:
        """Do nothing: the hardware decides."""

    def refused_launch(self) -> str:
        return ""

    def only_compiling(self) -> AbstractContextManager[None]:
        """Compiled kernels also run here, except in a worker that compiles ahead."""
        return self._ahead.noting() if self._ahead else nullcontext()

    def compile_noted(self, limit_s: float) -> dict[str, object]:
        """Compile what calls have noted into Triton's cache folder."""
        assert self._ahead is not None
        return self._ahead.compile(limit_s)

    def is_refusal(self, error: Exception) -> bool:
        return isinstance(error, TritonError) or LLVM_REFUSES in str(error)

    def synchronize(self) -> None:
        self._synchronize()

    def damaged(self) -> int:
        return self._zones.damaged() if self._zones else 0

    def watch(self) -> None:
        """Do nothing: `coverage` cannot tell either."""

    def coverage(self, outputs: Mapping[str, OutputBytes]) -> CoverageReport | None:
        return None

    def report(self) -> dict[str, object]:
        if self._launches is None:
            return {"launches": 0, "kernels": [], "faults": []}
        return {"launches": self._launches.count, "kernels": self._launches.reports(), "faults": []}


def preheat_gpu() -> None:
    """Build and load Triton's driver interface once for all workers, 1 s of gcc; no device is opened.

    The hash of Triton's own files, another 1.1 s, is in the key of every kernel; Triton keeps it.
    """
    with tempfile.TemporaryDirectory() as folder, knobs.cache.scope():
        knobs.cache.dir = folder
        driver.set_active(backends[VENDOR].driver())
    triton_key()


def ignore_options_of_others() -> None:
    """Make Triton accept launch options for the other vendor's cards and ignore them.

    Triton rejects options that its backend does not know, so a kernel tuned for MI300X would not start here.
    """
    compiler = backends[VENDOR].compiler
    parse = compiler.parse_options

    def tolerant(self: Any, given: dict[str, Any]) -> Any:
        options = parse(self, given)
        for name in OTHERS_OPTIONS[VENDOR]:
            if name in given and name not in options.__dict__:
                object.__setattr__(options, name, given[name])  # a frozen dataclass: its fields are the known options
        return options

    compiler.parse_options = tolerant
