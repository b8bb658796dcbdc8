"""The files of a bundle by name, their bytes in one temporary file without a name: read when they are asked for."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import IO

HELD_BYTES = 8 << 20  # a small bundle never reaches the disk
ON_DISK = "/var/tmp"  # /tmp may lie in memory


class Contents(Mapping[str, bytes]):
    """What was added, in the order of adding. A name of a bundle never becomes a name on the disk."""

    def __init__(self) -> None:
        folder = ON_DISK if os.access(ON_DISK, os.W_OK) else None
        # closed when nobody holds the contents any more
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(HELD_BYTES, dir=folder)  # noqa: SIM115
        self._places = dict[str, tuple[int, int]]()
        weakref.finalize(self, self._file.close)

    def add(self, name: str, chunks: Iterable[bytes]) -> int:
        """How long it is, in bytes. What came before an error of the chunks is forgotten."""
        start = end = self._file.seek(0, os.SEEK_END)
        for chunk in chunks:
            end += self._file.write(chunk)
        self._places[name] = start, end - start
        return end - start

    def __getitem__(self, name: str) -> bytes:
        start, size = self._places[name]
        self._file.seek(start)
        return self._file.read(size)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Renamed(Mapping[str, bytes]):
    """Some of the files of a bundle under other names: new name → old one."""

    def __init__(self, files: Mapping[str, bytes], names: Mapping[str, str]) -> None:
        self._files, self._names = files, names

    def __getitem__(self, name: str) -> bytes:
        return self._files[self._names[name]]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
