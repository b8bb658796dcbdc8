"""A host without a GPU: Triton through its interpreter, HIP through fibers, everything also compiled for gfx942.

It judges compilation and correctness. Its times are functional: they say that a call ran, nothing about any GPU.
"""

from __future__ import annotations

import functools
import platform
import sys
from pathlib import Path

from evaluator.errors import HostError
from evaluator.hip.prepare import HipToolchain, prepare, prepared
from evaluator.records import Host
from evaluator.state import state_folder
from evaluator.taskspec import Case, Profile, TaskSpec

NAME = "cpu"
TARGET = "gfx942"
PROFILES: tuple[Profile, ...] = ("small",)


class CpuBackend:
    """Cases of profile small; functional times only."""

    name = NAME
    architecture = NAME
    device_class = f"cpu-{platform.machine()}"

    def cases(self, task: TaskSpec) -> tuple[Case, ...]:
        return task.cases_of(PROFILES)

    @functools.cached_property
    def toolchain(self) -> HipToolchain:
        """Prepared once per host, from trusted sources.

        Raises:
            HostError: clang or a header is missing; the message names the packages.
        """
        if not prepared(state_folder()):
            sys.stderr.write("preparing the HIP toolchain, once on this host: about half a minute ...\n")
        return prepare(state_folder())

    def toolchain_or_none(self) -> HipToolchain | None:
        try:
            return self.toolchain
        except HostError:
            return None

    def readable(self) -> tuple[Path, ...]:
        """What a sandbox must be able to read beside the interpreter and the system."""
        toolchain = self.toolchain_or_none()
        return tuple(map(Path, toolchain.readable)) if toolchain else ()

    def host(self) -> Host:
        import torch
        import triton

        facts = {
            "processor": _processor(),
            "system": platform.platform(),
            "python": platform.python_version(),
            "torch": torch.__version__,
            "triton": triton.__version__,
        }
        if (toolchain := self.toolchain_or_none()) is not None:
            facts["hip_toolchain"] = toolchain.key
        return Host(self.name, self.device_class, self.architecture, facts)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or sys.platform
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def get_backend(name: str) -> CpuBackend:
    """The backend of that name.

    Raises:
        HostError: there is none on this host.
    """
    if name != NAME:
        raise HostError(f"the backend {name!r} is not there yet; this version runs on cpu")
    return CpuBackend()
