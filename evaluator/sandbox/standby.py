"""Sandboxes started ahead, so that their seconds of imports overlap with other work."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from types import TracebackType

from evaluator.errors import SandboxError
from evaluator.sandbox.sandbox import Sandbox


class Standby:
    """Keeps `ahead` sandboxes started. `take` returns one, which the caller closes, and starts the next.

    Both sides of a session call `take` at the same time, each in a thread of its own.
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
        """The kind of the sandboxes."""
        with self._lock:
            if not self._started:
                self._started.append(self._open())
            return self._started[0].kind

    def take(self) -> Sandbox:
        with self._lock:
            taken = self._started.pop(0) if self._started else self._open()
            with contextlib.suppress(SandboxError):  # the next take raises it
                while len(self._started) < self._ahead:
                    self._started.append(self._open())
            return taken

    def settle(self) -> None:
        """Wait until all have started, so that no start disturbs timed work.

        Those that fail to start are dropped; a later `take` starts others.
        """
        with self._lock:
            self._started = [sandbox for sandbox in self._started if _has_started(sandbox)]

    def close(self) -> None:
        with self._lock:
            for sandbox in self._started:
                sandbox.close()
            self._started = []


def _has_started(sandbox: Sandbox) -> bool:
    """Wait until it is ready; a sandbox that fails to start has closed itself."""
    try:
        _ = sandbox.ready_s
    except SandboxError:
        return False
    return True
