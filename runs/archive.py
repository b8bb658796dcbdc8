"""A content-addressed store of compressed files below the state folder: records, sessions, bundles and sources.

Files are named archive/ab/abcdef….gz after the sha256 of their content, so each is never changed and is checked when it
is read. A damaged one is written again when the same content comes again.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import IO

from django.conf import settings

from evaluator.state import replacing

CHUNK_BYTES = 1 << 20
_aside: ContextVar[Path | None] = ContextVar("aside", default=None)
ROOM_BYTES = 64 << 20  # a record with all raw times and an agent session are below 10 MiB together
_DIGEST = re.compile(r"[0-9a-f]{64}")


class ArchiveError(Exception):
    """A file that the database names is missing or damaged. This is never the candidate's fault."""


@contextlib.contextmanager
def aside() -> Iterator[None]:
    """Keep what is stored meanwhile in a temporary folder: for a trial, after which nothing is left."""
    with tempfile.TemporaryDirectory(prefix="arena-trial-") as folder:
        before = _aside.set(Path(folder))
        try:
            yield
        finally:
            _aside.reset(before)


def put(data: bytes) -> str:
    """Store the bytes and return their sha256. The file is on disk before the caller writes a row that names it."""
    digest = hashlib.sha256(data).hexdigest()
    if not _is_whole(digest):
        with replacing(_path(digest)) as file:
            file.write(gzip.compress(data, compresslevel=6, mtime=0))
    return digest


def put_chunks(chunks: Iterable[bytes]) -> tuple[str, int]:
    """Store a file that arrives in chunks without holding it in memory; return its sha256 and size in bytes."""
    folder = _aside.get() or Path(settings.ARCHIVE_FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    sha256, size = hashlib.sha256(), 0
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".part") as file:
        with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1, mtime=0) as packed:
            for chunk in chunks:
                sha256.update(chunk)
                size += len(chunk)
                packed.write(chunk)
        file.seek(0)
        put_packed(file, sha256.hexdigest())
    return sha256.hexdigest(), size


def copy_to(digest: str, target: Path) -> None:
    """Write the bytes of that digest to a file without holding them in memory.

    Raises:
        ArchiveError: as `get`.
    """
    sha256 = hashlib.sha256()
    with target.open("wb") as file:
        for chunk in _chunks(digest):
            sha256.update(chunk)
            file.write(chunk)
    _must_match(sha256.hexdigest(), digest)


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
    if _is_whole(digest):
        return False
    with replacing(_path(digest)) as part:
        shutil.copyfileobj(file, part, CHUNK_BYTES)
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
    with _reading(digest):
        data = gzip.decompress(_path(digest).read_bytes())
    _must_match(hashlib.sha256(data).hexdigest(), digest)
    return data


def _chunks(digest: str) -> Iterator[bytes]:
    with _reading(digest), gzip.open(_path(digest)) as packed:
        while chunk := packed.read(CHUNK_BYTES):
            yield chunk


@contextlib.contextmanager
def _reading(digest: str) -> Iterator[None]:
    """Say of errors which file they concern, and whether it is missing or damaged."""
    try:
        yield
    except FileNotFoundError as error:
        raise ArchiveError(f"the archive has no file {digest}") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ArchiveError(f"the archive's file {digest} is damaged: {error}") from error
    except OSError as error:
        raise ArchiveError(f"the archive's file {digest} cannot be read: {error}") from error


def _must_match(seen: str, digest: str) -> None:
    if seen != digest:
        raise ArchiveError(f"the archive's file {digest} is damaged: it holds other bytes, of sha256 {seen}")


def _is_whole(digest: str) -> bool:
    """Return whether the file is there and undamaged."""
    try:
        with _path(digest).open("rb") as file:
            return is_packed(file, digest)
    except OSError:
        return False


def _path(digest: str) -> Path:
    if not _DIGEST.fullmatch(digest):
        raise ArchiveError(f"{digest!r} is no sha256")
    name, trial = f"{digest[:2]}/{digest}.gz", _aside.get()
    stored = Path(settings.ARCHIVE_FOLDER) / name
    return stored if trial is None or stored.exists() else trial / name
