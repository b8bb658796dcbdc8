"""One member of an archive before it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

CHUNK_BYTES = 1 << 16


class Malformed(Exception):
    """The bytes are not the archive that they begin as."""


@dataclass(frozen=True, slots=True)
class Member:
    """`chunks` are its bytes, read when they are asked for; None: a folder. `problem`: why it is no plain file."""

    name: str
    problem: str | None
    chunks: Iterator[bytes] | None


def chunks_of(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while chunk := read(CHUNK_BYTES):
        yield chunk
