"""Reads the members of a plain or compressed tar in one pass. Python's own reader does not limit headers."""

from __future__ import annotations

import io
import typing
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from evaluator.bundles.archives.limits import Budget
from evaluator.bundles.archives.members import CHUNK_BYTES, LINK, MalformedArchive, Member

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
COMPRESSIONS = (GZIP, ZSTD)
BLOCK_BYTES = 512
HEADER_BYTES = 1 << 16  # of an extended header, which may have a long name
LENGTH_DIGITS = 6  # of a record in it
HEADERS_IN_A_ROW = 4  # extended ones before a member: a global one, and one or two for it
WINDOW_BYTES = 128 << 20  # zstd --long=27
PLAIN, FOLDER = (b"0", b"\0"), b"5"
WITHOUT_BYTES = (b"1", b"2", b"3", b"4", b"5", b"6")  # links, devices, folders, pipes
Read = Callable[[int], bytes]


def is_tar(start: bytes) -> bool:
    return start[257:262] == b"ustar"


def tar_members(file: BinaryIO, start: bytes, budget: Budget) -> Iterator[Member]:
    """The members, in order; raises MalformedArchive if the bytes are not a tar, or end early."""
    read = _counted(_unpacked(_TimedFile(file, budget), start), budget)
    extended, in_a_row = dict[str, str](), 0
    while (header := _header(read)) is not None:
        kind, name, size = header
        if kind in (b"x", b"g", b"L"):
            in_a_row += 1
            if in_a_row > HEADERS_IN_A_ROW:
                raise MalformedArchive(f"more than {HEADERS_IN_A_ROW} extended headers before one member")
            if not 0 <= size <= HEADER_BYTES:
                raise MalformedArchive(f"an extended header of more than {HEADER_BYTES} bytes")
            found = _extended(kind, _exactly(read, _padded(size))[:size])
            extended |= {} if kind == b"g" else found
            continue
        size = int(extended.get("size", size))
        member = _MemberReader(read, 0 if kind in WITHOUT_BYTES else size)
        name = extended.get("path", name).removeprefix("./")
        if kind != FOLDER or name not in ("", "."):  # `tar -C run .`
            yield Member(name, _problem(kind, extended), None if kind == FOLDER else member.chunks())
        member.skip()
        extended, in_a_row = {}, 0


class _TimedFile(io.RawIOBase):
    """The file, with a check of the time limit at each read: a gzip header may contain a name of 100 MB."""

    def __init__(self, file: BinaryIO, budget: Budget) -> None:
        self._file, self._budget = file, budget

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        self._budget.tick()
        return self._file.read(CHUNK_BYTES if size < 0 else size)


class _Inflated:
    """A gzip reader. Python's own searches for the end of a header's name byte by byte, which takes 0.7 s per MiB."""

    GZIP_FORM = 31  # of zlib's wbits

    def __init__(self, file: _TimedFile) -> None:
        self._file, self._packed = file, b""
        self._stream = zlib.decompressobj(self.GZIP_FORM)

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, empty at the end; concatenated streams are read as one."""
        while True:
            if self._stream.eof:
                self._packed = self._stream.unused_data or self._file.read(CHUNK_BYTES)
                if not self._packed.startswith(GZIP):  # padding may follow the last one
                    return b""
                self._stream = zlib.decompressobj(self.GZIP_FORM)
            self._packed = self._packed or self._file.read(CHUNK_BYTES)
            data = self._stream.decompress(self._packed, size)
            ended = not self._packed and not data and not self._stream.eof
            self._packed = self._stream.unconsumed_tail
            if ended:
                raise MalformedArchive("gzip data that ends too early")
            if data:
                return data


class _MemberReader:
    """Reads the rest of the current member, and the padding after it."""

    def __init__(self, read: Read, size: int) -> None:
        if size < 0:
            raise MalformedArchive("a negative size")
        self._read, self._left, self._padding = read, size, _padded(size) - size

    def chunks(self) -> Iterator[bytes]:
        while self._left:
            chunk = self._read(min(CHUNK_BYTES, self._left))
            if not chunk:
                raise MalformedArchive("it ends in the middle of a member")
            self._left -= len(chunk)
            yield chunk

    def skip(self) -> None:
        for _ in self.chunks():
            pass
        _exactly(self._read, self._padding)


def _unpacked(file: _TimedFile, start: bytes) -> Read:
    if start.startswith(GZIP):
        return _Inflated(file).read
    if not start.startswith(ZSTD):
        return file.read
    try:
        import zstandard
    except ImportError as error:
        raise MalformedArchive("zstd data, which needs the package zstandard on this host") from error
    reader = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES).stream_reader(
        typing.cast(BinaryIO, file), read_across_frames=True
    )

    def read(size: int) -> bytes:
        try:
            return reader.read(size)
        except zstandard.ZstdError as error:
            raise MalformedArchive(f"invalid zstd data: {error}") from error

    return read


def _counted(read: Read, budget: Budget) -> Read:
    """A reader that counts all unpacked bytes: a packed tar of nothing but headers expands a thousandfold."""
    counter = Budget(budget.place, budget.packed_bytes, budget.limits)

    def counting(size: int) -> bytes:
        data = read(size)
        counter.unpack(len(data))
        return data

    return counting


def _header(read: Read) -> tuple[bytes, str, int] | None:
    """Kind, name and size of the next header; None at the end of the archive."""
    block = _exactly(read, BLOCK_BYTES)
    if not any(block):
        return None
    checksum = sum(block[:148]) + 8 * ord(" ") + sum(block[156:])
    if _number(block[148:156]) != checksum:
        raise MalformedArchive("a header with a wrong checksum: not a tar, or damaged")
    name, before = _text(block[:100]), _text(block[345:500]) if is_tar(block) and block[262:264] != b" \0" else ""
    return block[156:157], f"{before}/{name}" if before else name, _number(block[124:136])


def _extended(kind: bytes, data: bytes) -> dict[str, str]:
    """The name of a GNU header, or path, size and sparse of the records "LENGTH key=value" of a POSIX one."""
    if kind == b"L":
        return {"path": _text(data)}
    found, start = dict[str, str](), 0
    while start < len(data):  # by position: cutting records from the front would take quadratic time
        length, blank, _ = data[start : start + LENGTH_DIGITS + 1].partition(b" ")
        if not blank or not length.isdigit() or not len(length) + 3 <= int(length) <= len(data) - start:
            raise MalformedArchive("an invalid extended header")
        end = start + int(length)
        key, _, value = data[start + len(length) + 1 : end - 1].partition(b"=")
        if key in (b"path", b"size"):  # the others, which may be 10,000, are not kept
            found[key.decode()] = value.decode("utf-8", "surrogateescape")
        elif key.startswith(b"GNU.sparse"):
            found["sparse"] = ""
        start = end
    if not found.get("size", "0").isdigit() or len(found.get("size", "0")) > 15:
        raise MalformedArchive("an extended header with an invalid size")
    return found


def _problem(kind: bytes, extended: dict[str, str]) -> str | None:
    if "sparse" in extended:
        return "a sparse file"
    return None if kind in PLAIN or kind == FOLDER else LINK


def _exactly(read: Read, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = read(size - len(data))
        if not chunk:
            raise MalformedArchive("it ends in the middle of a header or member")
        data += chunk
    return bytes(data)


def _number(field: bytes) -> int:
    """A number in octal digits or in GNU's binary form."""
    if field[0] & 0x80:
        return int.from_bytes(field, "big", signed=False) - (0x80 << 8 * (len(field) - 1)) if field[0] == 0x80 else -1
    text = field.strip(b" \0")
    if text.strip(b"01234567"):
        raise MalformedArchive("a header with an invalid number")
    return int(text or b"0", 8)


def _padded(size: int) -> int:
    return -(-size // BLOCK_BYTES) * BLOCK_BYTES


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
