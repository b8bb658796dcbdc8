"""What one sandbox may use. Known on both sides: the judge sizes mounts and keeps the clock, the worker limits itself."""

from __future__ import annotations

from dataclasses import dataclass

MiB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Per process: memory, cpu, open files, a file's size. Per sandbox: the rest. `wall_s` counts from the first spawn."""

    memory_bytes: int = 8192 * MiB
    cpu_s: int = 300
    processes: int = 128
    file_bytes: int = 256 * MiB
    workspace_bytes: int = 512 * MiB
    tmp_bytes: int = 64 * MiB
    shm_bytes: int = 64 * MiB
    open_files: int = 512
    output_bytes: int = 4 * MiB
    wall_s: float = 900.0
