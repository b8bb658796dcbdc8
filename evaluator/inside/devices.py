"""Device operations of a worker, with or without a GPU. They are set up before the candidate is loaded."""

from __future__ import annotations

import ctypes
import resource
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Protocol

import numpy as np
import torch

from evaluator.inside import loading, pretend_gpu, triton_cpu
from evaluator.inside.coverage import CoverageReport, OutputBytes
from evaluator.inside.gpu.device import GpuDevice, preheat_gpu
from evaluator.inside.hip_cpu.runtime import FiberRuntime
from evaluator.inside.limits import DeviceKind

MAX_FAULTS = 5


class DeviceOperations(Protocol):
    """Operations on a device. Options: allocator (library, None for torch's own), cross_compile; CpuDevice has more."""

    kind: DeviceKind

    def load(self, path: Path) -> ModuleType: ...
    def set_order(self, seed: int) -> None:
        """Draw the orders of programs and lanes from now on, where the device lets anybody choose; 0: upwards.

        The candidate is not told: it could behave only where its races do not show.
        """

    def refused_launch(self) -> str:
        """Say why a launch was refused that the candidate did not ask about; empty where none is known."""

    def only_compiling(self) -> AbstractContextManager[None]: ...
    def is_refusal(self, error: Exception) -> bool:
        """Return whether a compiler raised the error."""

    def synchronize(self) -> None: ...
    def damaged(self) -> int:
        """Return the number of tensors with a damaged red zone."""

    def report(self) -> dict[str, object]: ...
    def watch(self) -> None:
        """Forget what kernels have done so far: a new call begins."""

    def coverage(self, outputs: Mapping[str, OutputBytes]) -> CoverageReport | None:
        """Return what the candidate's own kernels did since `watch`; None where this device cannot tell."""


class CpuDevice:
    """An emulated GPU: Triton kernels are interpreted, HIP kernels run on fibers, tensors report a GPU as their device.

    `guarded`: with guard pages next to buffers.
    """

    kind: DeviceKind = "cpu"

    def __init__(self, allocator: str | None, guarded: bool, cross_compile: bool, memory_mb: int) -> None:
        _lower_memory_limit(memory_mb << 20)
        self._zones = None if allocator is None else RedZones(allocator, guard=guarded)
        self._launches = triton_cpu.install()
        self._launches.compile = cross_compile
        self._runtime: FiberRuntime | None = None
        self._launched_before = 0

    def load(self, path: Path) -> ModuleType:
        """Load a candidate. In a built extension tensors seem to be on a GPU: `is_cuda` is replaced at compile time."""
        if path.suffix == ".so":
            module = loading.load_extension(path)
            self._runtime = FiberRuntime(path, self._zones.owner if self._zones else None)
            return module
        pretend_gpu.install()
        return loading.load_python(path)

    def set_order(self, seed: int) -> None:
        self._launches.orders = np.random.Generator(np.random.PCG64(seed)) if seed else None
        if self._runtime is not None:
            self._runtime.order_lanes(seed)

    def refused_launch(self) -> str:
        return self._runtime.refused_launch() if self._runtime is not None else ""

    def only_compiling(self) -> AbstractContextManager[None]:
        return self._launches.only_compiling()

    def is_refusal(self, error: Exception) -> bool:
        return isinstance(error, triton_cpu.CompileFailed)

    def synchronize(self) -> None:
        """Do nothing: calls return when their work is done."""

    def damaged(self) -> int:
        return self._zones.damaged() if self._zones else 0

    def watch(self) -> None:
        self._launches.written = triton_cpu.Written()
        self._launched_before = self._runtime.launches() if self._runtime is not None else 0

    def coverage(self, outputs: Mapping[str, OutputBytes]) -> CoverageReport | None:
        if self._runtime is not None:  # nothing sees the stores of compiled code
            return {
                "launches": self._runtime.launches() - self._launched_before,
                "written": dict.fromkeys(outputs),
                "copied": [],
            }
        written = self._launches.written
        shares = {name: output.share(written.covers(output.address, output.size)) for name, output in outputs.items()}
        elsewhere = [name for name, share in shares.items() if share is not None and share < 1]
        copied = [name for name in elsewhere if any(outputs[name].is_copy_of(*buffer) for buffer in written.buffers())]
        return {"launches": written.launches, "written": shares | dict.fromkeys(copied, 1.0), "copied": copied}

    def report(self) -> dict[str, object]:
        launches = self._launches
        ran = [] if self._runtime is None else list(self._runtime.kernels_that_ran())
        reports = launches.reports()
        return {"launches": launches.count, "kernels": reports, "faults": launches.faults[:MAX_FAULTS], "ran": ran}


class RedZones:
    """Replaces torch's CPU allocator by hip/allocator.cpp: red zones around every tensor, or a guard page after it."""

    def __init__(self, library: str, guard: bool) -> None:
        torch.zeros(1)  # torch sets its own allocator first
        self._library = ctypes.CDLL(library)
        self._library.arena_allocator_damaged.restype = ctypes.c_long
        self._library.arena_allocator_install(int(guard))

    @property
    def owner(self) -> int | None:
        """The address of the C function that says whether a tensor holds an address."""
        return ctypes.cast(self._library.arena_allocator_owns, ctypes.c_void_p).value

    def damaged(self) -> int:
        return int(self._library.arena_allocator_damaged())


DEVICES: Mapping[DeviceKind, type[CpuDevice] | type[GpuDevice]] = {"cpu": CpuDevice, "cuda": GpuDevice}


def preheat(device: str) -> None:
    """Initialise in a zygote what every worker would otherwise initialise itself."""
    if device == "cpu":
        triton_cpu.preheat()  # takes 0.1 s, and saves that in every worker that compiles
    else:
        preheat_gpu()


def _lower_memory_limit(size: int) -> None:
    """Apply the task's memory limit if it is below the sandbox's."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or size < hard:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
