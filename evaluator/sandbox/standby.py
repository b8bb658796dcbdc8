"""Always one sandbox started ahead: its 2 s of imports pass while the one before is at work."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import TracebackType

from evaluator.errors import SandboxError
from evaluator.sandbox.sandbox import Sandbox


class Standby:
    """`take` hands over a started sandbox, to be closed by the taker, and starts the next."""

    def __init__(self, open: Callable[[], Sandbox]) -> None:
        self._open = open
        self._next: Sandbox | None = open()

    def __enter__(self) -> Standby:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def kind(self) -> str:
        """Of the sandboxes it hands over."""
        if self._next is None:
            self._next = self._open()
        return self._next.kind

    def take(self) -> Sandbox:
        taken, self._next = self._next or self._open(), None
        with contextlib.suppress(SandboxError):  # the next take will tell
            self._next = self._open()
        return taken

    def settle(self) -> None:
        """Wait until the next one has started: from then on nothing of ours is at work beside what is timed."""
        if self._next is not None:
            with contextlib.suppress(SandboxError):
                _ = self._next.ready_s

    def close(self) -> None:
        if self._next is not None:
            self._next.close()
            self._next = None
