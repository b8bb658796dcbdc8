"""A run's public files as one zip, put together while it is sent: never more than one file is held.

Its last member, index.csv, names each with its sha256 and says whether it is there: what the archive lost is not.
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
LEVEL = 1  # of deflate: a long run has hundreds of MiB of records, of which text leaves a tenth even so


class _Sent(io.RawIOBase):
    """What a zip wrote since it was last taken; it cannot be wound back, so sizes stand behind each member."""

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
    """The same bytes for the same files: members have no time of their own."""
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
    """A candidate's paths are a stranger's: whoever unpacks them is not written elsewhere."""
    path = PurePosixPath(name)
    return ".." not in path.parts and path.as_posix() == name and "\\" not in name


def _add(packed: zipfile.ZipFile, name: str, data: bytes) -> None:
    packed.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, LEVEL)
