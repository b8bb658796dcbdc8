"""What one sandbox may use. Both sides know it: the judge sizes mounts and keeps time, the worker limits itself."""

from __future__ import annotations

from dataclasses import dataclass

MiB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Memory, cpu, open files and a file's size are per process. `wall_s` counts from the first spawn."""

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
