"""Members of a tar, plain or packed, in one pass. Python's own reader is not asked: its headers have no bounds."""

from __future__ import annotations

import io
import typing
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from evaluator.bundles.archives.limits import Budget
from evaluator.bundles.archives.members import CHUNK_BYTES, Malformed, Member

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
COMPRESSIONS = (GZIP, ZSTD)
BLOCK_BYTES = 512
HEADER_BYTES = 1 << 16  # of a header that holds a long name
LENGTH_DIGITS = 6  # of one of its records
WINDOW_BYTES = 128 << 20  # zstd --long=27
PLAIN, FOLDER = (b"0", b"\0"), b"5"
WITHOUT_BYTES = (b"1", b"2", b"3", b"4", b"5", b"6")  # links, devices, folders, pipes
Read = Callable[[int], bytes]


def is_tar(start: bytes) -> bool:
    return start[257:262] == b"ustar"


def tar_members(file: BinaryIO, start: bytes, budget: Budget) -> Iterator[Member]:
    """Raises Malformed where the bytes are no tar, or end early."""
    read = _counted(_unpacked(_Ticking(file, budget), start), budget)
    extended: dict[str, str] = {}
    while (header := _header(read)) is not None:
        kind, name, size = header
        if kind in (b"x", b"g", b"L"):
            found = _extended(kind, _exactly(read, _padded(_bounded(size)))[:size])
            extended |= {} if kind == b"g" else found
            continue
        size = int(extended.get("size", size))
        member = _Rest(read, 0 if kind in WITHOUT_BYTES else size)
        name = extended.get("path", name).removeprefix("./")
        if kind != FOLDER or name not in ("", "."):  # `tar -C run .`
            yield Member(name, _problem(kind, extended), None if kind == FOLDER else member.chunks())
        member.skip()
        extended = {}


class _Ticking(io.RawIOBase):
    """The file, with a look at the clock for each read: a gzip header may be a name of 100 MB."""

    def __init__(self, file: BinaryIO, budget: Budget) -> None:
        self._file, self._budget = file, budget

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        self._budget.tick()
        return self._file.read(CHUNK_BYTES if size < 0 else size)


class _Inflated:
    """gzip without Python's own reader, which looks for the end of a name byte by byte: 0.7 s for each MiB."""

    GZIP_FORM = 31  # of zlib's wbits

    def __init__(self, file: _Ticking) -> None:
        self._file, self._packed = file, b""
        self._stream = zlib.decompressobj(self.GZIP_FORM)

    def read(self, size: int) -> bytes:
        """Nothing at the end; several streams one behind the other are one."""
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
                raise Malformed("gzip that ends too early")
            if data:
                return data


class _Rest:
    """What is left of the member at hand, and the padding behind it."""

    def __init__(self, read: Read, size: int) -> None:
        if size < 0:
            raise Malformed("a size below zero")
        self._read, self._left, self._padding = read, size, _padded(size) - size

    def chunks(self) -> Iterator[bytes]:
        while self._left:
            chunk = self._read(min(CHUNK_BYTES, self._left))
            if not chunk:
                raise Malformed("it ends in the middle of a member")
            self._left -= len(chunk)
            yield chunk

    def skip(self) -> None:
        for _ in self.chunks():
            pass
        _exactly(self._read, self._padding)


def _unpacked(file: _Ticking, start: bytes) -> Read:
    if start.startswith(GZIP):
        return _Inflated(file).read
    if not start.startswith(ZSTD):
        return file.read
    try:
        import zstandard
    except ImportError as error:
        raise Malformed("zstd, for which the package zstandard is not installed here") from error
    reader = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES).stream_reader(
        typing.cast(BinaryIO, file), read_across_frames=True
    )

    def read(size: int) -> bytes:
        try:
            return reader.read(size)
        except zstandard.ZstdError as error:
            raise Malformed(f"zstd that cannot be unpacked: {error}") from error

    return read


def _counted(read: Read, budget: Budget) -> Read:
    """Headers and padding count too: a packed tar of nothing but headers unpacks a thousandfold."""
    counter = Budget(budget.place, budget.packed_bytes, budget.limits)

    def counting(size: int) -> bytes:
        data = read(size)
        counter.unpack(len(data))
        return data

    return counting


def _header(read: Read) -> tuple[bytes, str, int] | None:
    """Kind, name and size; None: the end."""
    block = _exactly(read, BLOCK_BYTES)
    if not any(block):
        return None
    checksum = sum(block[:148]) + 8 * ord(" ") + sum(block[156:])
    if _number(block[148:156]) != checksum:
        raise Malformed("a header with another checksum than its own; it is no tar, or damaged")
    name, before = _text(block[:100]), _text(block[345:500]) if is_tar(block) and block[262:264] != b" \0" else ""
    return block[156:157], f"{before}/{name}" if before else name, _number(block[124:136])


def _extended(kind: bytes, data: bytes) -> dict[str, str]:
    """The name of a GNU header, or the records "LENGTH key=value" of a POSIX one."""
    if kind == b"L":
        return {"path": _text(data)}
    found, start = dict[str, str](), 0
    while start < len(data):  # each record is looked at once: cut from the front, they would take quadratic time
        length, blank, _ = data[start : start + LENGTH_DIGITS + 1].partition(b" ")
        if not blank or not length.isdigit() or not len(length) + 3 <= int(length) <= len(data) - start:
            raise Malformed("an extended header that is none")
        end = start + int(length)
        key, _, value = data[start + len(length) + 1 : end - 1].partition(b"=")
        found[key.decode("utf-8", "surrogateescape")] = value.decode("utf-8", "surrogateescape")
        start = end
    if not found.get("size", "0").isdigit() or len(found.get("size", "0")) > 15:
        raise Malformed("an extended header with a size that is none")
    return found


def _problem(kind: bytes, extended: dict[str, str]) -> str | None:
    if any(key.startswith("GNU.sparse") for key in extended):
        return "a sparse file"
    return None if kind in PLAIN or kind == FOLDER else "a link or special file"


def _exactly(read: Read, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = read(size - len(data))
        if not chunk:
            raise Malformed("it ends in the middle of a header or member")
        data += chunk
    return bytes(data)


def _number(field: bytes) -> int:
    """Octal digits, or a number of GNU's binary form."""
    if field[0] & 0x80:
        return int.from_bytes(field, "big", signed=False) - (0x80 << 8 * (len(field) - 1)) if field[0] == 0x80 else -1
    text = field.strip(b" \0")
    if text.strip(b"01234567"):
        raise Malformed("a header with a number that is none")
    return int(text or b"0", 8)


def _bounded(size: int) -> int:
    if not 0 <= size <= HEADER_BYTES:
        raise Malformed(f"an extended header of more than {HEADER_BYTES} bytes")
    return size


def _padded(size: int) -> int:
    return -(-size // BLOCK_BYTES) * BLOCK_BYTES


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
