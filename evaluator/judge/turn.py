"""Whose turn it is on a device, across all evaluations of this host: checks share it, a timed session has it alone.

So somebody's `evaluate` beside a worker, or two runs at once, disturb no time; what does not need the clock goes on.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Turn:
    """A lock file of the device. One evaluator uses it from one thread; its contexts may lie within each other."""

    def __init__(self, path: Path) -> None:
        self._path, self._depth, self._fd = path, 0, -1

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Beside other checks, and beside no timed session."""
        if self._depth == 0:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._take(fcntl.LOCK_SH)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                os.close(self._fd)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Within `shared`: beside nothing. The workers that wait have answered their first calls, and are idle."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)  # given up first, so two that wait do not block each other
        self._take(fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_UN)
            self._take(fcntl.LOCK_SH)

    def _take(self, kind: int) -> None:
        """Behind all that wait already: new checks would else keep a session waiting for ever (190 s were seen)."""
        door = os.open(self._path.with_suffix(".door"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(door, fcntl.LOCK_EX)
            fcntl.flock(self._fd, kind)
        finally:
            os.close(door)
