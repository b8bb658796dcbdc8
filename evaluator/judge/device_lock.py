"""A lock on a device across all evaluations of this host: checks share the device, a timed session has it alone.

So two evaluations at once, in two workers or by hand, do not disturb each other's times; checks still run in parallel.
Nobody waits for another's build, which needs no device. A session waits for a check's call of a worker until it ends.
"""

from __future__ import annotations

import fcntl
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from time import monotonic

TELL_S = 30.0  # of waiting, after which the user is told for whom
DOES = {fcntl.LOCK_UN: "waits", fcntl.LOCK_SH: "checks", fcntl.LOCK_EX: "times"}
_numbers = count()


class DeviceLock:
    """A device's lock files. One evaluator uses it from one thread, and its contexts may be nested.

    An interrupt, such as Ctrl-C, ends every wait at once, and no context then waits to share the device again.
    """

    def __init__(self, path: Path, tell: Callable[[str], object] | None = None) -> None:
        self._path, self._is_open, self._fd, self._present, self._state = path, False, -1, -1, -1
        self._held, self._presence = fcntl.LOCK_UN, fcntl.LOCK_SH
        self._tell = tell or sys.stderr.write
        self._own = f"{os.getpid()}-{next(_numbers)}"
        self.waited_s = 0.0  # total time spent waiting for other evaluations

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold the device together with other checks, while no timed session runs."""
        if self._is_open:
            yield
            return
        self._users.mkdir(parents=True, exist_ok=True)
        with self._opened(".lock") as self._fd, self._present_to_others():
            self._hold(fcntl.LOCK_SH)
            self._is_open = True
            try:
                yield
            finally:
                self._is_open, self._held = False, fcntl.LOCK_UN

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

    @contextmanager
    def released(self) -> Iterator[None]:
        """Leave the device to others, within `shared`, while this evaluation builds or waits and does not use it.

        A timed session keeps it.
        """
        if self._held != fcntl.LOCK_SH:
            yield
            return
        self._let_go("")
        with self._then_shared():
            yield

    def give_way(self) -> None:
        """Let waiting timed sessions go first. Call within `shared`, while this evaluation does not use the device."""
        if self._held == fcntl.LOCK_SH:
            self._hold(fcntl.LOCK_SH)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Have the device alone, for a timed session. Call within `shared`; workers of waiting evaluations are idle."""
        self._hold(fcntl.LOCK_EX)
        with self._then_shared():
            yield

    @contextmanager
    def interrupted(self) -> Iterator[None]:
        """Share the device in the middle of a timed session, for work that is not timed; afterwards have it alone."""
        if self._held != fcntl.LOCK_EX:
            yield
            return
        self._hold(fcntl.LOCK_SH)
        yield  # after an exception the session is over
        self._hold(fcntl.LOCK_EX)

    def in_use_by_others(self) -> bool:
        """Return whether another evaluation runs on the device, or has workers in its memory. Call within `shared`."""
        try:
            fcntl.flock(self._present, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            fcntl.flock(self._present, self._presence)
        return False

    def others(self) -> list[str]:
        """Return what every other evaluation on the device does, with its process id, and since when."""
        found = []
        for path in sorted(self._users.iterdir()):
            with suppress(FileNotFoundError), path.open() as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    if file.read():
                        path.unlink(missing_ok=True)  # its process was killed
                except BlockingIOError:
                    found += [text] if path.name != self._own and (text := file.read()) else []
        return found

    @contextmanager
    def _then_shared(self) -> Iterator[None]:
        """Share the device again at the end; not after an interrupt, or the way out would wait for others."""
        try:
            yield
        except Exception:
            self._hold(fcntl.LOCK_SH)
            raise
        self._hold(fcntl.LOCK_SH)

    def _hold(self, kind: int) -> None:
        """Hold the device in another way; released first, or two sessions that wait would block each other."""
        self._let_go(DOES[fcntl.LOCK_UN])
        self._take(self._fd, kind, ".turnstile")
        self._held = kind
        self._note(DOES[kind])

    def _let_go(self, does: str) -> None:
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        self._held = fcntl.LOCK_UN
        self._note(does)

    @contextmanager
    def _present_to_others(self) -> Iterator[None]:
        """Be counted as present, with a file that says what this evaluation does."""
        with self._opened(".present") as self._present, self._opened(".users", self._own) as self._state:
            fcntl.flock(self._state, fcntl.LOCK_EX)
            self._note(DOES[fcntl.LOCK_UN])
            try:
                self._take(self._present, self._presence, ".entry")
                yield
            finally:
                (self._users / self._own).unlink(missing_ok=True)

    def _note(self, does: str) -> None:
        """Leave word for others what this evaluation does on the device."""
        text = f"process {os.getpid()} {does} since {datetime.now(UTC):%H:%M:%S} UTC" if does else ""
        os.ftruncate(self._state, 0)
        os.pwrite(self._state, text.encode(), 0)

    def _take(self, fd: int, kind: int, turnstile: str) -> None:
        """Lock `fd` through a turnstile: without it, new checks kept a session waiting for 190 s."""
        begin, telling = monotonic(), threading.Timer(TELL_S, self._tell_whom)
        telling.daemon = True
        try:
            telling.start()
            with self._opened(turnstile) as opened:
                fcntl.flock(opened, fcntl.LOCK_EX)
                fcntl.flock(fd, kind)
        finally:
            telling.cancel()
            self.waited_s += monotonic() - begin

    def _tell_whom(self) -> None:
        self._tell(f"waiting for the device for {TELL_S:g} s: {'; '.join(self.others()) or 'nobody says why'}\n")

    @property
    def _users(self) -> Path:
        return self._path.with_suffix(".users")

    @contextmanager
    def _opened(self, suffix: str, name: str = "") -> Iterator[int]:
        fd = os.open(self._path.with_suffix(suffix) / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            yield fd
        finally:
            os.close(fd)


class NoDeviceLock:
    """The lock of a host without a device clock, where evaluations do not wait for each other."""

    waited_s = 0.0
    shared = exclusive = alone = released = interrupted = staticmethod(nullcontext)

    def give_way(self) -> None: ...

    def in_use_by_others(self) -> bool:
        return False
