"""Whose turn it is on a device, across all evaluations of this host: checks share it, a timed session has it alone.

So somebody's `evaluate` beside a worker, or two runs at once, disturb no time; what does not need the clock goes on.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from time import monotonic


class Turn:
    """Lock files of the device. One evaluator uses it from one thread; its contexts may lie within each other."""

    def __init__(self, path: Path) -> None:
        self._path, self._depth, self._fd, self._present = path, 0, -1, -1
        self._presence = fcntl.LOCK_SH
        self.waited_s = 0.0  # for others, in all

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Beside other checks, and beside no timed session."""
        if self._depth == 0:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._fd, self._present = self._opened(".lock"), self._opened(".present")
            self._take(self._present, self._presence, ".entry")
            self._take(self._fd, fcntl.LOCK_SH, ".door")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                os.close(self._fd)
                os.close(self._present)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """As `shared`, once every other evaluation has ended: where several are at work, memory is short.

        Who comes later waits at a door that nobody inside needs.
        """
        self._presence = fcntl.LOCK_EX
        try:
            with self.shared():
                yield
        finally:
            self._presence = fcntl.LOCK_SH

    def give_way(self) -> None:
        """Within `shared`, where nothing of one's own is at work: sessions that wait go first."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        self._take(self._fd, fcntl.LOCK_SH, ".door")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Within `shared`: beside nothing. The workers that wait have answered their first calls, and are idle."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)  # given up first, so two that wait do not block each other
        self._take(self._fd, fcntl.LOCK_EX, ".door")
        try:
            yield
        finally:
            self.give_way()

    def has_company(self) -> bool:
        """Within `shared`: is another evaluation at work on the device, or waiting with workers in its memory?"""
        try:
            fcntl.flock(self._present, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            fcntl.flock(self._present, self._presence)
        return False

    def _take(self, fd: int, kind: int, door: str) -> None:
        """Behind all that wait already: new checks would else keep a session waiting for ever (190 s were seen)."""
        opened, begin = self._opened(door), monotonic()
        try:
            fcntl.flock(opened, fcntl.LOCK_EX)
            fcntl.flock(fd, kind)
        finally:
            os.close(opened)
            self.waited_s += monotonic() - begin

    def _opened(self, suffix: str) -> int:
        return os.open(self._path.with_suffix(suffix), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)


class NoTurn:
    """Of a host without a device clock: nobody waits for anybody."""

    waited_s = 0.0
    shared = exclusive = alone = staticmethod(nullcontext)

    def give_way(self) -> None: ...

    def has_company(self) -> bool:
        return False
