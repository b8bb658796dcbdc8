"""A run's public files as one ZIP, made while it is sent, with one file at a time in memory.

Its last member, index.csv, lists every file with its SHA-256 and whether it is included; the archive may lack some.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from leaderboard.csv_text import csv_text
from leaderboard.queries import results
from leaderboard.queries.run_files import RunFile

HEADER = ("name", "sha256", "result", "task", "attempt", "status", "is_here")
LEVEL = (
    1  # of deflate: records of a long run take hundreds of MiB, and text shrinks to a tenth even at the fastest level
)


class _Sent(io.RawIOBase):
    """A stream that holds what was written since the last `take`. As it cannot seek, sizes follow each member."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        taken, self._parts = b"".join(self._parts), []
        return taken


def zip_chunks(files: Sequence[RunFile]) -> Iterator[bytes]:
    """The parts of the ZIP; the same files give the same bytes, as members have no modification time."""
    sent = _Sent()
    lines: list[tuple[object, ...]] = [HEADER]
    with zipfile.ZipFile(sent, "w") as packed:
        for file in files:
            data = results.archived(file.digest) if _stays_inside(file.name) else None
            lines.append((*file, data is not None))
            if data is not None:
                _add(packed, file.name, data)
                yield sent.take()
        _add(packed, "index.csv", csv_text(lines).encode())
    yield sent.take()


def _stays_inside(name: str) -> bool:
    """True if the name stays in the folder it is unpacked to. A candidate's paths are not to be trusted."""
    path = PurePosixPath(name)
    return ".." not in path.parts and path.as_posix() == name and "\\" not in name


def _add(packed: zipfile.ZipFile, name: str, data: bytes) -> None:
    packed.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, LEVEL)
