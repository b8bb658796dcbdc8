"""A host without a GPU: Triton is interpreted, HIP runs on fibers, and everything is also compiled for AMD's targets.

It tests compilation and correctness. Its times are functional: they show that a call ran, and nothing about a GPU.
"""

from __future__ import annotations

import functools
import platform
import sys
from pathlib import Path

from evaluator.backends.base import Backend
from evaluator.backends.software import software_facts
from evaluator.bench.build import build_bench
from evaluator.hip.prepare import HipToolchain, prepare, prepared
from evaluator.inside.limits import Access
from evaluator.state import state_folder

NAME = "cpu"
TARGET = "gfx942"


class CpuBackend(Backend):
    """The CPU backend: cases of profile small, functional times only."""

    name = NAME
    torch_device = "cpu"
    profiles = ("small",)
    has_clock = False
    clock_covers_streams = True  # a stream's work is done when the call that asks for it returns
    wave_size = 64  # in the fiber runtime, as on gfx942
    architecture = NAME
    device_class = f"cpu-{platform.machine()}"
    cache_bytes = 0

    @functools.cached_property
    def toolchain(self) -> HipToolchain:
        if not prepared(state_folder()):
            sys.stderr.write("preparing the HIP toolchain, once on this host: about half a minute ...\n")
        return prepare(state_folder())

    @property
    def allocator(self) -> Path | None:
        toolchain = self.toolchain_or_none()
        return toolchain.allocator if isinstance(toolchain, HipToolchain) else None

    @functools.cached_property
    def bench(self) -> Path:
        return build_bench(state_folder(), "none")

    def access(self) -> Access:
        toolchain = self.toolchain_or_none()
        return Access(readable=tuple(map(str, toolchain.readable)) if toolchain else ())

    def facts(self) -> dict[str, str]:
        toolchain = self.toolchain_or_none()
        return software_facts() | ({"hip_toolchain": toolchain.key} if toolchain else {})
