"""Runs the corpora through every gate: one evaluator for each backend and sandbox, each audit once a session."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from evaluator.backends import get_backend
from evaluator.backends.base import Backend
from evaluator.judge.side import Side
from evaluator.pipeline import SANDBOX_WALL_S, Evaluator, GateVerdict
from evaluator.sandbox import Sandbox
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from tests.cheats.corpus import Entry, writable_copy
from tests.cheats.ledger import Ledger
from tests.native import NativeBackend


class Auditor:
    """`name` is one of evaluator.backends; the corpora only know cpu and gpu."""

    def __init__(self, ledger: Ledger, name: str = "cpu") -> None:
        self.ledger, self.name, self.backend = ledger, name, "cpu" if name == "cpu" else "gpu"
        self._stack = ExitStack()
        self._evaluator = cache(self._opened)

    def __enter__(self) -> Auditor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def can_run(self, entry: Entry) -> bool:
        return entry.runs_on(self.backend)

    def audit(self, entry: Entry) -> list[GateVerdict]:
        """What every gate says of it."""
        return [GateVerdict(*one) for one in self.ledger.once(self.backend, entry.name, lambda: self._audited(entry))]

    def _audited(self, entry: Entry) -> list[GateVerdict]:
        task, native = entry.task(), self.name == "cpu" and not entry.needs_gfx942
        if entry.header.get("sandbox") != "plain":
            return self._evaluator("auto", native).every_verdict(task, entry.candidate(task))
        with tempfile.TemporaryDirectory(prefix="cheats-task-") as folder:
            task = writable_copy(task, Path(folder))
            return self._evaluator("plain", native).every_verdict(task, entry.candidate(task))

    def _opened(self, sandbox: str, native: bool) -> Evaluator:
        backend: Backend = NativeBackend() if native else get_backend(self.name)
        return self._stack.enter_context(Frugal(backend, sandbox))


class Frugal(Evaluator):
    """Candidates share a sandbox where baselines do: a new one's imports are most of an audit's seconds.

    Workers in one sandbox see nothing of each other (tests/sandbox). A candidate that leaves processes behind, exceeds
    a limit or cannot be swept away ends its sandbox.
    """

    _of_candidates: Sandbox | None = None

    def __exit__(self, *error: object) -> None:
        super().__exit__(None, None, None)
        if self._of_candidates is not None:
            self._of_candidates.close()

    def _side(self, task: TaskSpec, files: Candidate) -> Side:
        side = super()._side(task, files)
        if self._shares_sandboxes:
            side.take_sandbox = lambda: self._take_for_candidate(side)
        return side

    def _take_for_candidate(self, side: Side) -> Any:
        taken = self._of_candidates
        if taken is not None and not _serves(taken):
            taken.close()
            taken = None
        taken = self._of_candidates = taken or self._standby.take()
        return Lasting(taken, lambda: taken.close() if side.leftovers else None)


def _serves(sandbox: Sandbox) -> bool:
    """Return whether it starts further workers, and will for the time of an evaluation."""
    return sandbox.is_open and sandbox.age_s < SANDBOX_WALL_S / 2 and not sandbox.exceeded


class Lasting:
    """A sandbox that outlives the evaluation that used it."""

    def __init__(self, sandbox: Sandbox, give_back: Callable[[], None]) -> None:
        self._sandbox, self._give_back = sandbox, give_back

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sandbox, name)

    def close(self) -> None:
        """Its workers have been closed one by one."""
        self._give_back()
