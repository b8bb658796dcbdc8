"""One member of an archive before it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

CHUNK_BYTES = 1 << 16
LINK = "a link or special file"


class MalformedArchive(Exception):
    """The bytes are not a valid archive of the kind that their beginning suggests."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member; `chunks` are its bytes, read lazily, or None for a folder; `problem` is why it is not a plain file."""

    name: str
    problem: str | None
    chunks: Iterator[bytes] | None


def chunks_of(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while chunk := read(CHUNK_BYTES):
        yield chunk
