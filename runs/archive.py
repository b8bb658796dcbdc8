"""Two content-addressed stores of compressed files: the archive of records, sessions and sources, and the uploads.

Files are named archive/ab/abcdef….gz after the sha256 of their content, so each is never changed and is checked when it
is read. A damaged one is written again when the same content comes again. Uploads lie in archive/uploads/, because they
may be any bytes: those of a record, too, which has to stay when the upload is removed.
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
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import connection

from evaluator.state import replacing, temporary_folder
from runs import disk

ARCHIVE, UPLOADS = "", "uploads"  # the stores, by their folders below ARCHIVE_FOLDER
CHUNK_BYTES = 1 << 20
REMOVALS = 2_011_293_117  # PostgreSQL's advisory lock: held by transactions that put files, or by one that removes some
_aside: ContextVar[Path | None] = ContextVar("aside", default=None)
_DIGEST = re.compile(r"[0-9a-f]{64}")


class ArchiveError(Exception):
    """A file that the database names is missing or damaged. This is never the candidate's fault."""


@contextlib.contextmanager
def aside() -> Iterator[None]:
    """Keep what is stored meanwhile in a temporary folder: for a trial, after which nothing is left."""
    with temporary_folder("trial") as folder:
        before = _aside.set(folder)
        try:
            yield
        finally:
            _aside.reset(before)


def put(data: bytes) -> str:
    """Store the bytes in the archive and return their sha256.

    The file is on disk before the caller writes a row that names it. Nobody removes it before the transaction ends.
    """
    hold_removals()
    digest = hashlib.sha256(data).hexdigest()
    if not _is_whole(digest):
        with replacing(_path(digest)) as file:
            file.write(gzip.compress(data, compresslevel=6, mtime=0))
    return digest


def put_upload(chunks: Iterable[bytes]) -> tuple[str, int]:
    """Store an upload that arrives in chunks without holding it in memory; return its sha256 and size in bytes.

    Raises:
        NoRoom: the disk's reserve would be touched. Nothing is stored.
    """
    folder = _aside.get() or folder_of(UPLOADS)
    folder.mkdir(parents=True, exist_ok=True)
    sha256, size = hashlib.sha256(), 0
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".part") as file:
        with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1, mtime=0) as packed:
            for chunk in chunks:
                disk.refuse_without_room(len(chunk))
                sha256.update(chunk)
                size += len(chunk)
                packed.write(chunk)
        disk.refuse_without_room(file.tell())
        file.seek(0)
        if not put_packed(file, sha256.hexdigest(), UPLOADS):
            os.utime(_path(sha256.hexdigest(), UPLOADS))  # it is as young as its newest upload: see services/expiry.py
    return sha256.hexdigest(), size


def renew_upload(digest: str) -> bool:
    """Make an upload that is here and whole as young as if it came now; return False if it is not."""
    is_here = _is_whole(digest, UPLOADS)
    if is_here:
        os.utime(_path(digest, UPLOADS))
    return is_here


def copy_upload(digest: str, target: Path) -> None:
    """Write the bytes of an upload to a file without holding them in memory.

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


def put_packed(file: IO[bytes], digest: str, store: str = ARCHIVE) -> bool:
    """Store compressed bytes that are known to have this digest; return False if they were stored before."""
    if _is_whole(digest, store):
        return False
    with replacing(_path(digest, store)) as part:
        shutil.copyfileobj(file, part, CHUNK_BYTES)
    return True


def remove(digest: str, store: str = ARCHIVE) -> None:
    """Delete the bytes. Do nothing if they are not there."""
    _path(digest, store).unlink(missing_ok=True)


def hold_removals() -> None:
    """Wait until no transaction removes files, and keep others from it until ours ends."""
    _lock_removals(shared=True)


def hold_writers(*, waits: bool = True) -> bool:
    """Wait until no transaction has put files that its rows do not name yet, and keep others waiting until ours ends.

    Without `waits` return False where there is such a one. SQLite has one transaction that writes at a time.
    """
    return _lock_removals(shared=False, waits=waits)


def has(digest: str, store: str = ARCHIVE) -> bool:
    """Return whether the file is there, damaged or not."""
    return _DIGEST.fullmatch(digest) is not None and _path(digest, store).exists()


def folder_of(store: str) -> Path:
    return Path(settings.ARCHIVE_FOLDER) / store


def files_of(store: str) -> list[tuple[str, Path]]:
    """Return digest and path of each file, sorted."""
    return [(path.name.removesuffix(".gz"), path) for path in sorted(folder_of(store).glob("??/*.gz"))]


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
    with _reading(digest), gzip.open(_path(digest, UPLOADS)) as packed:
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


def _lock_removals(*, shared: bool, waits: bool = True) -> bool:
    if connection.vendor != "postgresql" or not connection.in_atomic_block:
        return True
    attempt, kind = "" if waits else "try_", "_shared" if shared else ""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_{attempt}advisory_xact_lock{kind}(%s)", [REMOVALS])
        return cursor.fetchone()[0] is not False  # one that waits returns nothing


def _is_whole(digest: str, store: str = ARCHIVE) -> bool:
    """Return whether the file is there and undamaged."""
    try:
        with _path(digest, store).open("rb") as file:
            return is_packed(file, digest)
    except OSError:
        return False


def _path(digest: str, store: str = ARCHIVE) -> Path:
    if not _DIGEST.fullmatch(digest):
        raise ArchiveError(f"{digest!r} is no sha256")
    name, trial = f"{digest[:2]}/{digest}.gz", _aside.get()
    stored = folder_of(store) / name
    return stored if trial is None or stored.exists() else trial / store / name
