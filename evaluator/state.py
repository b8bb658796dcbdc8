"""The evaluator's state folder: toolchains, build caches and calibrations, which outlive an evaluation.

And folders that should not: a process that is killed leaves its temporary ones behind, until another removes them.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

REPOSITORY = Path(__file__).resolve().parent.parent
UNFINISHED_S = 86_400  # a file that is still being written, or whose row is, is younger
_OF_PROCESS = re.compile(r"arena-(?:[a-z]+-)?(\d+)_\w+")


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


def temporary_prefix(kind: str) -> str:
    """Return how the name of a temporary folder begins that `remove_orphans` removes if this process is killed."""
    return f"arena-{kind}-{os.getpid()}_"


@contextlib.contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """Yield a new temporary folder, which is removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix=temporary_prefix(kind)))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def remove_orphans() -> list[Path]:
    """Remove this user's temporary folders of processes that have ended; return them."""
    found = Path(tempfile.gettempdir()).glob("arena-*")
    return [path for path in found if _is_orphan(path) and _removed(path)]


def remove_unfinished(folder: Path, pattern: str) -> list[Path]:
    """Remove files and folders that match and were not finished within a day; return them."""
    before = time.time() - UNFINISHED_S
    return [path for path in folder.glob(pattern) if _is_older(path, before) and _removed(path)]


def _is_orphan(path: Path) -> bool:
    owner = _OF_PROCESS.fullmatch(path.name)
    if owner is None or Path("/proc", owner[1]).exists():
        return False
    try:
        return path.lstat().st_uid == os.geteuid()
    except FileNotFoundError:  # another process has removed it
        return False


def _is_older(path: Path, before: float) -> bool:
    try:
        return path.lstat().st_mtime < before
    except FileNotFoundError:  # another process has removed it
        return False


def _removed(path: Path) -> bool:
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    return not os.path.lexists(path)
