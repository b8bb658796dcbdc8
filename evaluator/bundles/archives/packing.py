"""Packs a folder as a zip to submit; the same content always gives the same bytes."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import IO

ZIP_DATE = (2026, 1, 1, 0, 0, 0)


def zip_folder(folder: Path) -> Path:
    """Write DIR.zip beside DIR, with sorted members and fixed dates; returns its path."""
    target = folder.with_name(folder.name + ".zip")
    temporary = target.with_name(target.name + ".part")
    with temporary.open("wb") as file:
        write_zip(folder, file)
    temporary.replace(target)
    return target


def write_zip(folder: Path, file: IO[bytes]) -> None:
    """Write the folder as a zip to an open binary file, without `.part` files."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(".part")):
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), ZIP_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())


def slug(task_id: str) -> str:
    """The name of a task's record and candidate folder in a run folder."""
    return task_id.replace("/", "--")
