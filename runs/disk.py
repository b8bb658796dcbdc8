"""The reserve of disk. Below it nothing new begins: no upload, import, check or attempt. What has begun may use it."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

from django.conf import settings

NEAR = 2  # times the reserve: below that, monitoring and `manage.py check` say so


class NoRoom(OSError):
    """What was asked for would leave less free than the reserve. Nothing was stored."""

    def __init__(self, text: str) -> None:
        super().__init__(errno.ENOSPC, text)


def free_bytes() -> int:
    """Return what is free on the fuller of the disks with the archive and with the state folder."""
    return min(shutil.disk_usage(folder).free for folder in _growing())


def is_shared_with(folder: Path) -> bool:
    """Return whether what is written to the folder takes room from the archive or the state folder."""
    return folder.stat().st_dev in {growing.stat().st_dev for growing in _growing()}


def reserve_bytes() -> int:
    return int(settings.LEAST_FREE_MB) << 20


def has_room(size_bytes: int = 0) -> bool:
    """Return whether the reserve is still free after so many bytes more."""
    return free_bytes() - size_bytes >= reserve_bytes()


def refuse_without_room(size_bytes: int = 0) -> None:
    """
    Raises:
        NoRoom: the reserve would not be free after so many bytes more.
    """
    if not has_room(size_bytes):
        raise NoRoom(f"{shown_room()}; nothing new is stored until there is more")


def shown_room() -> str:
    """Return in a few words what is free and what is reserved."""
    return f"{free_bytes() >> 20} MB free; {settings.LEAST_FREE_MB} MB required (ARENA_LEAST_FREE_MB)"


def _growing() -> list[Path]:
    return [_existing(Path(folder)) for folder in (settings.ARCHIVE_FOLDER, settings.STATE)]


def _existing(folder: Path) -> Path:
    while not folder.exists():  # folders are made when they are first needed
        folder = folder.parent
    return folder
