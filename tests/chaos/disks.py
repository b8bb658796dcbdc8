"""A disk that a test can fill: a tmpfs, or a limit on file sizes where mounting is not allowed."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

SIZE_MB = 96  # a worker wants 64 MiB free (ARENA_LEAST_FREE_MB in places.py)


class Disk(Protocol):
    kind: str

    def fill(self, worker: subprocess.Popen[bytes]) -> None: ...
    def free(self, worker: subprocess.Popen[bytes]) -> None: ...


class SmallDisk:
    kind = f"a tmpfs of {SIZE_MB} MB"

    def __init__(self, folder: Path) -> None:
        self._rubbish = folder / "rubbish"

    def fill(self, worker: subprocess.Popen[bytes]) -> None:
        room = shutil.disk_usage(self._rubbish.parent).free
        with self._rubbish.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, room)

    def free(self, worker: subprocess.Popen[bytes]) -> None:
        self._rubbish.unlink()


class NoFiles:
    """A limit on file sizes: workers get EFBIG instead of the ENOSPC of a full disk."""

    kind = "RLIMIT_FSIZE, since nothing may be mounted here"

    def fill(self, worker: subprocess.Popen[bytes]) -> None:
        resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    def free(self, worker: subprocess.Popen[bytes]) -> None:
        resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


@contextmanager
def small_disk(folder: Path) -> Iterator[Disk]:
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={SIZE_MB}m", "tmpfs", str(folder)]
    if subprocess.run(["mount", *options], capture_output=True, check=False).returncode:
        yield NoFiles()
        return
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
