"""The files of a bundle by name, with their bytes in one anonymous temporary file."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import IO

MEMORY_BYTES = 8 << 20  # a smaller bundle never reaches the disk
SPOOL_FOLDER = "/var/tmp"  # /tmp may be a memory file system


class Contents(Mapping[str, bytes]):
    """A mapping from name to content, in the order of adding. Names of a bundle never become names on the disk."""

    def __init__(self) -> None:
        folder = SPOOL_FOLDER if os.access(SPOOL_FOLDER, os.W_OK) else None
        # Closed when the contents are garbage-collected.
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(MEMORY_BYTES, dir=folder)  # noqa: SIM115
        self._places = dict[str, tuple[int, int]]()
        weakref.finalize(self, self._file.close)

    def add(self, name: str, chunks: Iterable[bytes]) -> int:
        """Add a file and return its size in bytes; nothing is added if the chunks raise an error."""
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
    """A view of some files of a bundle under other names; `names` maps new names to old ones."""

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
