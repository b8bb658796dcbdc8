"""Sandboxes started ahead: their seconds of imports pass while the ones before are at work."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from types import TracebackType

from evaluator.errors import SandboxError
from evaluator.sandbox.sandbox import Sandbox


class Standby:
    """`take` hands over a started sandbox, to be closed by the taker, and starts the next; `ahead` are kept started.

    Both sides of a session take theirs at the same time, each in a thread of its own.
    """

    def __init__(self, open: Callable[[], Sandbox], ahead: int = 1) -> None:
        self._open, self._ahead = open, ahead
        self._lock = threading.Lock()
        self._started = [open() for _ in range(ahead)]

    def __enter__(self) -> Standby:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def kind(self) -> str:
        """Of the sandboxes it hands over."""
        with self._lock:
            if not self._started:
                self._started.append(self._open())
            return self._started[0].kind

    def take(self) -> Sandbox:
        with self._lock:
            taken = self._started.pop(0) if self._started else self._open()
            with contextlib.suppress(SandboxError):  # the next take will tell
                while len(self._started) < self._ahead:
                    self._started.append(self._open())
            return taken

    def settle(self) -> None:
        """Wait until all have started: from then on nothing of ours is at work beside what is timed.

        Those that do not start are gone: a later `take` starts others.
        """
        with self._lock:
            self._started = [sandbox for sandbox in self._started if _has_started(sandbox)]

    def close(self) -> None:
        with self._lock:
            for sandbox in self._started:
                sandbox.close()
            self._started = []


def _has_started(sandbox: Sandbox) -> bool:
    """Waits for it; one that fails to start has closed itself."""
    try:
        _ = sandbox.ready_s
    except SandboxError:
        return False
    return True
