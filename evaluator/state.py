"""The evaluator's state folder: toolchains, build caches and calibrations, which outlive an evaluation."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

REPOSITORY = Path(__file__).resolve().parent.parent


def state_folder() -> Path:
    """The state folder, created if missing: $ARENA_STATE if set, otherwise .arena in the repository."""
    folder = Path(os.environ.get("ARENA_STATE") or REPOSITORY / ".arena")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file whose content replaces that of `path` at the end: all of it, also after a loss of power, or nothing.

    Missing folders are created.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
    for folder in (path.parent, path.parent.parent):  # the latter may have got the former just now
        sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Write to disk which files the folder has."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
