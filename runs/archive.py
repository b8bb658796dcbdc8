"""A content-addressed store of compressed files below the state folder: records, sessions, bundles and sources.

Files are named archive/ab/abcdef….gz after the sha256 of their content, so each is written once, never changed, and
checked when it is read.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from django.conf import settings

CHUNK_BYTES = 1 << 20
ROOM_BYTES = 64 << 20  # a record with all raw times and an agent session are below 10 MiB together
_DIGEST = re.compile(r"[0-9a-f]{64}")


class ArchiveError(Exception):
    """A file that the database names is missing or damaged. This is never the candidate's fault."""


def put(data: bytes) -> str:
    """Store the bytes and return their sha256. The file is on disk before the caller writes a row that names it."""
    digest = hashlib.sha256(data).hexdigest()
    path = _path(digest)
    if path.exists():
        return digest
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part") as file:
        file.write(gzip.compress(data, compresslevel=6, mtime=0))
        file.flush()
        os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):  # another process stored the same bytes first
            os.link(file.name, path)
    return digest


def put_chunks(chunks: Iterable[bytes]) -> tuple[str, int]:
    """Store a file that arrives in chunks without holding it in memory; return its sha256 and size in bytes."""
    folder = Path(settings.ARCHIVE_FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    sha256, size = hashlib.sha256(), 0
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".part") as file:
        with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1, mtime=0) as packed:
            for chunk in chunks:
                sha256.update(chunk)
                size += len(chunk)
                packed.write(chunk)
        file.flush()
        os.fsync(file.fileno())
        path = _path(sha256.hexdigest())
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.link(file.name, path)
    return sha256.hexdigest(), size


def copy_to(digest: str, target: Path) -> None:
    """Write the bytes of that digest to a file without holding them in memory.

    Raises:
        ArchiveError: as `get`.
    """
    sha256 = hashlib.sha256()
    try:
        with gzip.open(_path(digest)) as packed, target.open("wb") as file:
            while chunk := packed.read(CHUNK_BYTES):
                sha256.update(chunk)
                file.write(chunk)
    except (OSError, EOFError, zlib.error) as error:
        raise ArchiveError(f"the archive cannot read {digest}: {error}") from error
    if sha256.hexdigest() != digest:
        raise ArchiveError(f"the archive's file {digest} holds something else")


def is_packed(file: IO[bytes], digest: str) -> bool:
    """Return whether the compressed file, read to its end, has this sha256 when unpacked."""
    sha256 = hashlib.sha256()
    try:
        with gzip.open(file) as unpacked:
            while chunk := unpacked.read(CHUNK_BYTES):
                sha256.update(chunk)
    except (OSError, EOFError, zlib.error):
        return False
    return sha256.hexdigest() == digest


def put_packed(file: IO[bytes], digest: str) -> bool:
    """Store compressed bytes that are known to have this digest; return False if they were stored before."""
    path = _path(digest)
    if path.exists():
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
        shutil.copyfileobj(file, part, CHUNK_BYTES)
        part.flush()
        os.fsync(part.fileno())
    os.replace(part.name, path)
    return True


def has_room() -> bool:
    """Return whether the disk certainly has room for another record."""
    folder = Path(settings.ARCHIVE_FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    return shutil.disk_usage(folder).free >= ROOM_BYTES


def remove(digest: str) -> None:
    """Delete the bytes, after a takedown. Do nothing if they are not there."""
    _path(digest).unlink(missing_ok=True)


def get(digest: str) -> bytes:
    """Return the bytes of that digest.

    Raises:
        ArchiveError: they are missing or damaged.
    """
    try:
        data = gzip.decompress(_path(digest).read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise ArchiveError(f"the archive cannot read {digest}: {error}") from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise ArchiveError(f"the archive's file {digest} holds something else")
    return data


def _path(digest: str) -> Path:
    if not _DIGEST.fullmatch(digest):
        raise ArchiveError(f"{digest!r} is no sha256")
    return Path(settings.ARCHIVE_FOLDER) / digest[:2] / f"{digest}.gz"
