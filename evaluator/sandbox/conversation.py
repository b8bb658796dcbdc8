"""The judge's end of a channel: it waits up to a deadline, and reads the worker's output while waiting."""

from __future__ import annotations

import os
from select import POLLIN, POLLOUT, poll
from time import monotonic

from evaluator.codec import plain_text, plain_texts
from evaluator.inside.channel import Channel

CHUNK, FIRST_BYTES, LAST_BYTES = 1 << 16, 1 << 14, 1 << 16


class DeadlinePassed(Exception):
    """Raised when no complete message arrives in time."""


class FloodSeen(Exception):
    """The worker printed more than allowed."""


class ProcessOutput:
    """A worker's standard output and error: read without blocking, counted, beginning and end kept."""

    def __init__(self, fd: int, limit: int) -> None:
        os.set_blocking(fd, False)
        self.fd, self.open = fd, True
        self._first, self._last, self._seen, self._limit = b"", b"", 0, limit

    @property
    def text(self) -> str:
        missing = self._seen - len(self._first) - len(self._last)
        gap = f"\n… {missing} bytes left out …\n".encode() if missing else b""
        return plain_text((self._first + gap + self._last).decode(errors="replace"))

    @property
    def flooded(self) -> bool:
        return self._seen > self._limit

    def drain(self) -> None:
        """Read what is available, up to the limit."""
        while self.open and not self.flooded:
            try:
                chunk = os.read(self.fd, CHUNK)
            except BlockingIOError:
                return
            if not chunk:
                self.close()
                return
            self._seen += len(chunk)
            free = FIRST_BYTES - len(self._first)
            self._first += chunk[:free]
            self._last = (self._last + chunk[free:])[-LAST_BYTES:]

    def close(self) -> None:
        if self.open:
            os.close(self.fd)
            self.open = False


class Conversation(Channel):
    """A channel on which every operation ends at `deadline`."""

    def __init__(self, read_fd: int, write_fd: int, output: ProcessOutput) -> None:
        super().__init__(read_fd, write_fd)
        os.set_blocking(read_fd, False)
        os.set_blocking(write_fd, False)
        self.output, self.deadline = output, monotonic()

    def receive(self) -> dict[str, object]:
        """Receive a message, reduced to plain text: it may get into records, pages and terminals."""
        message: dict[str, object] = plain_texts(super().receive())
        return message

    def _until_readable(self) -> None:
        self._wait(self.read_fd, POLLIN)

    def _until_writable(self) -> None:
        self._wait(self.write_fd, POLLOUT)

    def _wait(self, wanted: int, event: int) -> None:
        while True:
            poller = poll()
            poller.register(wanted, event)
            if self.output.open:
                poller.register(self.output.fd, POLLIN)
            left = self.deadline - monotonic()
            ready = [fd for fd, _ in poller.poll(max(0.0, left) * 1000)]
            if self.output.fd in ready:
                self.output.drain()
            if self.output.flooded:
                raise FloodSeen
            if wanted in ready:
                return
            if left <= 0:
                raise DeadlinePassed
