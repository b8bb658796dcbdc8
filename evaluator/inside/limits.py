"""What one sandbox may use, and what of the host it reaches. Both sides know it: the judge makes mounts and keeps time,
the worker limits itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

MiB = 1 << 20
DeviceKind = Literal["cpu", "cuda"]  # torch's words: AMD's GPUs are cuda, too


@dataclass(frozen=True, slots=True)
class Limits:
    """Memory, cpu, open files and a file's size are per process. `wall_s` counts from the first spawn."""

    memory_bytes: int | None = 8192 * MiB  # None: a GPU's driver reserves address space far beyond any limit
    cpu_s: int = 300
    processes: int = 128
    file_bytes: int = 256 * MiB
    workspace_bytes: int = 512 * MiB
    tmp_bytes: int = 64 * MiB
    shm_bytes: int = 64 * MiB
    open_files: int = 512
    output_bytes: int = 4 * MiB
    wall_s: float = 900.0


@dataclass(frozen=True, slots=True)
class Access:
    """Beside the system and the interpreter: read-only paths, device nodes, and variables for every process."""

    readable: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()  # device nodes, or folders of them
    variables: Mapping[str, str] = field(default_factory=dict)
    device: DeviceKind = "cpu"  # what the zygote gets ready for
