"""A lock on a device across all evaluations of this host: checks share the device, a timed session has it alone.

So two evaluations at once, in two workers or by hand, do not disturb each other's times; checks still run in parallel.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from time import monotonic


class DeviceLock:
    """A device's lock files. One evaluator uses it from one thread; its contexts may be nested."""

    def __init__(self, path: Path) -> None:
        self._path, self._depth, self._fd, self._present = path, 0, -1, -1
        self._presence = fcntl.LOCK_SH
        self.waited_s = 0.0  # total time spent waiting for other evaluations

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold the device together with other checks, while no timed session runs."""
        if self._depth == 0:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._fd, self._present = self._opened(".lock"), self._opened(".present")
            self._take(self._present, self._presence, ".entry")
            self._take(self._fd, fcntl.LOCK_SH, ".turnstile")
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
        """Hold the device as `shared` does, after every other evaluation has ended: several may run out of memory.

        Evaluations that start later wait at the turnstile `.entry`, which those already started do not pass again.
        """
        self._presence = fcntl.LOCK_EX
        try:
            with self.shared():
                yield
        finally:
            self._presence = fcntl.LOCK_SH

    def give_way(self) -> None:
        """Let waiting timed sessions go first. Call within `shared`, while this evaluation does not use the device."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        self._take(self._fd, fcntl.LOCK_SH, ".turnstile")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Have the device alone, for a timed session. Call within `shared`; workers of waiting evaluations are idle."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)  # released first, or two sessions that wait would block each other
        self._take(self._fd, fcntl.LOCK_EX, ".turnstile")
        try:
            yield
        finally:
            self.give_way()

    def in_use_by_others(self) -> bool:
        """Return whether another evaluation runs on the device, or has workers in its memory. Call within `shared`."""
        try:
            fcntl.flock(self._present, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            fcntl.flock(self._present, self._presence)
        return False

    def _take(self, fd: int, kind: int, turnstile: str) -> None:
        """Lock `fd` through a turnstile: without it, new checks kept a session waiting for 190 s."""
        opened, begin = self._opened(turnstile), monotonic()
        try:
            fcntl.flock(opened, fcntl.LOCK_EX)
            fcntl.flock(fd, kind)
        finally:
            os.close(opened)
            self.waited_s += monotonic() - begin

    def _opened(self, suffix: str) -> int:
        return os.open(self._path.with_suffix(suffix), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)


class NoDeviceLock:
    """The lock of a host without a device clock, where evaluations do not wait for each other."""

    waited_s = 0.0
    shared = exclusive = alone = staticmethod(nullcontext)

    def give_way(self) -> None: ...

    def in_use_by_others(self) -> bool:
        return False
