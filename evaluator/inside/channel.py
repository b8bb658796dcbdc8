"""JSON messages in frames over two pipes, and shared memory for tensors and files. Both sides use this module.

A frame is 4 bytes of length (big endian) and that many bytes of JSON. Tensors are never sent in frames, so frames stay
small, and the judge parses only bounded JSON and raw bytes from the candidate's process.
"""

from __future__ import annotations

import fcntl
import math
import mmap
import os
from collections.abc import Sequence
from json import dumps, loads
from os import read, write
from struct import pack, unpack
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

MAX_FRAME_BYTES = 1 << 20
MAX_DATAGRAM_BYTES = 1 << 17  # between judge and zygote; the kernel's default buffer holds 208 KiB
PAGE_BYTES = 4096  # the end of a mailbox: words that the judge and a GPU watch (evaluator/bench)


class ChannelClosed(Exception):
    """The other side has closed its end."""


class BadFrame(Exception):
    """Received data is not a message of this protocol."""


class Channel:
    """One end of the connection. This class blocks; the judge's subclass has a deadline."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self.read_fd, self.write_fd = read_fd, write_fd

    def send(self, message: dict[str, object]) -> None:
        body = dumps(message).encode()
        if len(body) > MAX_FRAME_BYTES:
            raise ValueError(f"a message of {len(body)} bytes; at most {MAX_FRAME_BYTES} can be sent")
        data = pack(">I", len(body)) + body
        while data:
            self._until_writable()
            try:
                data = data[write(self.write_fd, data) :]
            except BlockingIOError:
                continue
            except BrokenPipeError as error:
                raise ChannelClosed from error

    def receive(self) -> dict[str, object]:
        (size,) = unpack(">I", self._read(4))
        if size > MAX_FRAME_BYTES:
            raise BadFrame(f"a frame of {size} bytes is too long")
        try:
            message = loads(self._read(size), parse_constant=_finite, parse_float=_finite)
        except (ValueError, RecursionError) as error:
            raise BadFrame(str(error)[:200]) from error
        if not isinstance(message, dict):
            raise BadFrame("a frame that is not a JSON object")
        return message

    def close(self) -> None:
        os.close(self.read_fd)
        os.close(self.write_fd)

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            self._until_readable()
            try:
                chunk = read(self.read_fd, size - len(data))
            except BlockingIOError:
                continue
            if not chunk:
                raise ChannelClosed
            data += chunk
        return data

    def _until_readable(self) -> None:
        """Do nothing: reading blocks."""

    def _until_writable(self) -> None:
        """Do nothing: writing blocks."""


class SharedMemory:
    """A mapping of a sealed memory file, accessed as bytes or as tensors."""

    def __init__(self, fd: int, size: int) -> None:
        self.size = size
        self._map = mmap.mmap(fd, size)

    def view(self, offset: int, size: int) -> memoryview:
        if offset < 0 or size < 0 or offset + size > self.size:
            raise ValueError(f"bytes {offset} to {offset + size} are outside a mailbox of {self.size} bytes")
        return memoryview(self._map)[offset : offset + size]

    def tensor(self, offset: int, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        import torch  # here, to spare commands without a sandbox its 1.3 s

        count = math.prod(shape)
        if count == 0:
            return torch.empty(tuple(shape), dtype=dtype)
        view = self.view(offset, count * dtype.itemsize)
        return torch.frombuffer(view, dtype=dtype, count=count).view(tuple(shape))


def sealed_memory(size: int) -> int:
    """Return a memory file that nobody can shrink: accessing a truncated mapping would kill the judge with SIGBUS."""
    fd = os.memfd_create("mailbox", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return fd


def _finite(text: str) -> float:
    """Parse a JSON number, rejecting infinities such as `1e999`."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is not a finite number")
    return value
