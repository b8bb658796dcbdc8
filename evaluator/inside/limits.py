"""Resource limits of a sandbox, and its access to the host. The judge sets up mounts and checks time; the worker limits
itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

MiB = 1 << 20
DeviceKind = Literal["cpu", "cuda"]  # torch's names; AMD GPUs are cuda too


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a sandbox: memory, CPU time, open files and file size per process; `wall_s` from the first spawn.

    `processes` (threads count as such) and what begins with `total` bound all processes of a worker together.
    """

    memory_bytes: int | None = 8192 * MiB  # None: a GPU driver reserves far more address space
    cpu_s: int = 300
    processes: int = 128
    file_bytes: int = 256 * MiB
    workspace_bytes: int = 512 * MiB
    tmp_bytes: int = 64 * MiB
    shm_bytes: int = 64 * MiB
    open_files: int = 512
    output_bytes: int = 4 * MiB
    wall_s: float = 900.0
    total_memory_bytes: int = 8192 * MiB  # resident, shared pages once
    total_cpu_s: int = 600


GPU_LIMITS = Limits(
    memory_bytes=None,
    cpu_s=900,
    workspace_bytes=2048 * MiB,
    total_memory_bytes=32768 * MiB,
    total_cpu_s=1800,
)


@dataclass(frozen=True, slots=True)
class Access:
    """Access besides system and interpreter: read-only paths, device nodes, and environment variables."""

    readable: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()  # device nodes, or folders of them
    variables: Mapping[str, str] = field(default_factory=dict)
    device: DeviceKind = "cpu"  # that the zygote prepares for
