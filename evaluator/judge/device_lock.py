"""A lock on a device across all evaluations of this host: checks share the device, a timed session has it alone.

So two evaluations at once, in two workers or by hand, do not disturb each other's times; checks still run in parallel.
Nobody waits for another's build, which needs no device, nor for a long first call: a check lets a session go first in
the middle of a worker's call, with the worker stopped. What a session waits for is at most a step of the judge itself.
"""

from __future__ import annotations

import fcntl
import os
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from threading import get_ident
from time import monotonic, sleep
from typing import Any, Protocol

from evaluator.errors import SandboxError

STEP_S = 2.0  # that a check has the device before it gives way: beside sessions without end, first calls would not end
DRAIN_S = 0.2  # for kernels that a stopped worker has in the device's queue: an autotuner has 0.1 s of them there
LOOK_S = 0.05  # between two looks whether a session waits
TELL_S = 30.0  # of waiting, after which the user is told for whom
DOES = {fcntl.LOCK_UN: "waits", fcntl.LOCK_SH: "checks", fcntl.LOCK_EX: "times"}
_numbers = count()


class Stoppable(Protocol):
    """A worker, as far as a lock knows it."""

    def freeze(self) -> None: ...
    def thaw(self) -> None: ...


Meanwhile = Callable[[], None]  # what to do again and again while a worker's reply is awaited


class DeviceLock:
    """A device's lock files. One evaluator uses it from one thread, its owner, and its contexts may be nested.

    Other threads of the evaluation may call workers: `pausing` stops these calls while the device is not shared.
    """

    def __init__(self, path: Path, tell: Callable[[str], object] | None = None) -> None:
        self._path, self._depth, self._fd, self._present, self._state = path, 0, -1, -1, -1
        self._held, self._held_since, self._presence = fcntl.LOCK_UN, 0.0, fcntl.LOCK_SH
        self._tell = tell or sys.stderr.write
        self._own = f"{os.getpid()}-{next(_numbers)}"
        self.waited_s = 0.0  # total time spent waiting for other evaluations
        self._owner = 0  # the thread that holds the device
        self._calls = threading.Condition()  # guards what follows: calls of workers that other threads await
        self._is_open, self._awaited, self._stopped = True, 0, 0

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold the device together with other checks, while no timed session runs."""
        if self._depth == 0:
            self._owner = get_ident()
            self._users.mkdir(parents=True, exist_ok=True)
            self._fd, self._present = self._opened(".lock"), self._opened(".present")
            self._state = os.open(self._users / self._own, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(self._state, fcntl.LOCK_EX)
            self._note(DOES[fcntl.LOCK_UN])
            self._take(self._present, self._presence, ".entry")
            self._hold(fcntl.LOCK_SH)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._held = fcntl.LOCK_UN
                (self._users / self._own).unlink(missing_ok=True)
                for fd in (self._fd, self._present, self._state):
                    os.close(fd)

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
        try:
            yield
        finally:
            self._hold(fcntl.LOCK_SH)

    def give_way(self) -> None:
        """Let waiting timed sessions go first. Call within `shared`, while this evaluation does not use the device."""
        if self._held == fcntl.LOCK_SH:
            self._hold(fcntl.LOCK_SH)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Have the device alone, for a timed session. Call within `shared`; workers of waiting evaluations are idle."""
        self._hold(fcntl.LOCK_EX)
        try:
            yield
        finally:
            self._hold(fcntl.LOCK_SH)

    @contextmanager
    def interrupted(self) -> Iterator[None]:
        """Share the device in the middle of a timed session, for work that is not timed; afterwards have it alone."""
        if self._held != fcntl.LOCK_EX:
            yield
            return
        self._hold(fcntl.LOCK_SH)
        yield  # after an exception the session is over
        self._hold(fcntl.LOCK_EX)

    @contextmanager
    def pausing(self, worker: Stoppable) -> Iterator[Meanwhile | None]:
        """Surround a call of a worker; what is yielded, called while its reply is awaited, lets sessions go first.

        In a timed session it is None, since nothing may disturb that. Calls that other threads of this evaluation await
        stand still with it.
        """
        if get_ident() == self._owner:
            if self._is_wanted():
                self.give_way()
            yield partial(self._let_sessions_go_first, worker) if self._held == fcntl.LOCK_SH else None
            return
        with self._calls:
            self._calls.wait_for(lambda: self._is_open)
            self._awaited += 1
        try:
            yield partial(self._stand_still, worker)
        finally:
            with self._calls:
                self._awaited -= 1
                self._calls.notify_all()

    def await_all(self, futures: Collection[Future[Any]]) -> None:
        """Wait for threads of this evaluation, and let sessions go first in the middle of their calls."""
        while wait(futures, timeout=LOOK_S).not_done:
            if self._is_wanted():
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

    def _let_sessions_go_first(self, worker: Stoppable) -> None:
        if not self._is_wanted():
            return
        try:
            worker.freeze()
            sleep(DRAIN_S)
            self.give_way()
        except SandboxError:
            self._held_since = monotonic()  # it cannot be stopped now, as within a driver's call: try later
        finally:
            worker.thaw()

    def _stand_still(self, worker: Stoppable) -> None:
        """Stop the worker while the device is not shared. One that cannot be stopped now is waited for."""
        with self._calls:
            if self._is_open:
                return
            try:
                worker.freeze()
                self._stopped += 1
                self._calls.notify_all()
                try:
                    self._calls.wait_for(lambda: self._is_open)
                finally:
                    self._stopped -= 1
            except SandboxError:
                return
            finally:
                worker.thaw()

    def _is_wanted(self) -> bool:
        """Return whether a session waits for this check: whoever waits for others stands in the turnstile."""
        if self._held != fcntl.LOCK_SH or monotonic() - self._held_since < STEP_S:
            return False
        opened = self._opened(".turnstile")
        try:
            fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(opened)
        return False

    def _hold(self, kind: int) -> None:
        """Hold the device in another way; released first, or two sessions that wait would block each other."""
        self._let_go(DOES[fcntl.LOCK_UN])
        self._take(self._fd, kind, ".turnstile")
        self._held, self._held_since = kind, monotonic()
        self._note(DOES[kind])
        with self._calls:
            self._is_open = kind == fcntl.LOCK_SH
            self._calls.notify_all()

    def _let_go(self, does: str) -> None:
        """Let the device go, once all calls that other threads await stand still."""
        with self._calls:
            self._is_open = False
            self._calls.wait_for(lambda: self._stopped == self._awaited)
            if self._stopped:
                sleep(DRAIN_S)
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        self._held = fcntl.LOCK_UN
        self._note(does)

    def _note(self, does: str) -> None:
        """Leave word for others what this evaluation does on the device."""
        text = f"process {os.getpid()} {does} since {datetime.now(UTC):%H:%M:%S} UTC" if does else ""
        os.ftruncate(self._state, 0)
        os.pwrite(self._state, text.encode(), 0)

    def _take(self, fd: int, kind: int, turnstile: str) -> None:
        """Lock `fd` through a turnstile: without it, new checks kept a session waiting for 190 s."""
        opened, begin = self._opened(turnstile), monotonic()
        telling = threading.Timer(TELL_S, self._tell_whom)
        telling.daemon = True
        telling.start()
        try:
            fcntl.flock(opened, fcntl.LOCK_EX)
            fcntl.flock(fd, kind)
        finally:
            telling.cancel()
            os.close(opened)
            self.waited_s += monotonic() - begin

    def _tell_whom(self) -> None:
        self._tell(f"waiting for the device for {TELL_S:g} s: {'; '.join(self.others()) or 'nobody says why'}\n")

    @property
    def _users(self) -> Path:
        return self._path.with_suffix(".users")

    def _opened(self, suffix: str) -> int:
        return os.open(self._path.with_suffix(suffix), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)


class NoDeviceLock:
    """The lock of a host without a device clock, where evaluations do not wait for each other."""

    waited_s = 0.0
    shared = exclusive = alone = released = interrupted = staticmethod(nullcontext)

    def pausing(self, _: Stoppable) -> nullcontext[None]:
        return nullcontext()

    def await_all(self, futures: Collection[Future[Any]]) -> None:
        wait(futures)

    def give_way(self) -> None: ...

    def in_use_by_others(self) -> bool:
        return False
