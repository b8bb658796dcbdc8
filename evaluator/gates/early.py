"""The workers of timed sessions, started early: beside the checks of correctness, never beside a timed call.

Every session needs two fresh workers, whose device contexts and first calls take seconds. Here the pairs of the first
sessions are made in threads, each in sandboxes of its own. While the evaluation times, or others may time, no thread
goes on and the waiting workers are stopped, as the side is that is not being timed: a candidate can do no more in them.

Nothing here counts for or against anybody: where a pair could not be made, its session makes another one itself.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from evaluator.errors import BaselineError, SandboxError
from evaluator.judge.side import Runner, Side
from evaluator.sandbox import WorkerError
from evaluator.tasks.spec import Case

Sides = tuple[Side, Side]  # baseline and candidate
FAILURES = (WorkerError, SandboxError, BaselineError, RuntimeError, MemoryError)


class _Over(Exception):
    """The evaluation needs no more workers."""


class EarlyWorkers:
    """One pair of workers for each of the first sessions; the evaluation's own thread takes them and closes the rest.

    `start` returns the runners of two sides; `call_first` makes a runner's first call of a case, one pair at a time,
    since it needs memory. In every other session the candidate goes first.
    """

    def __init__(
        self,
        sessions: Sequence[Sides],
        cases: Sequence[Case],
        start: Callable[[Sides], Sequence[Runner]],
        call_first: Callable[[Runner, Case], object],
    ) -> None:
        self._sessions, self._cases, self._start, self._call_first = sessions, cases, start, call_first
        self._changed, self._calling = threading.Condition(), threading.Lock()
        self._quiet, self._steps, self._taken, self._is_over = 0, 0, 0, False
        self._made: dict[int, Sequence[Runner]] = {}  # the pairs that nobody has taken yet, by session
        self._pool = ThreadPoolExecutor(max(1, len(sessions)), "early")
        self._futures = [self._pool.submit(self._make, index) for index in range(len(sessions))]

    @property
    def is_active(self) -> bool:
        """Whether workers may be using the device's memory."""
        return bool(self._made) or not all(future.done() for future in self._futures)

    def take(self, index: int) -> Sequence[Runner]:
        """Return the runners of baseline and candidate for a session, once they are ready; none if there are none.

        Sessions come in order.
        """
        if index >= len(self._futures):
            return ()
        self._futures[index].result()
        self._taken = index + 1
        return self._made.pop(index, ())

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Let no thread go on, and stop the waiting workers."""
        with self._changed:
            self._quiet += 1
            self._changed.wait_for(lambda: self._steps == 0)
        stopped = [runner for index in list(self._made) for runner in self._stopped(index)]
        try:
            yield
        finally:
            for runner in stopped:
                with suppress(SandboxError):  # one that cannot go on fails its next command
                    runner.worker.thaw()
            with self._changed:
                self._quiet -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """End all workers that nobody has taken, in the middle of what they do."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        for future, sides in zip(self._futures, self._sessions, strict=True):
            if not future.done():
                for side in sides:
                    side.end_sandbox()
        self._pool.shutdown()
        for index in range(self._taken, len(self._sessions)):
            self._drop(index)

    def _make(self, index: int) -> None:
        try:
            with self._step():
                self._made[index] = self._start(self._sessions[index])
            runners = self._made[index]
            with self._calling:
                for runner in runners[::-1] if index % 2 else runners:
                    for case in self._cases:
                        with self._step():
                            self._call_first(runner, case)
        except _Over:
            return
        except FAILURES:
            with suppress(_Over), self._step():
                self._drop(index)

    @contextmanager
    def _step(self) -> Iterator[None]:
        """Do something that may use the device, once nobody wants quiet."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_over or not self._quiet)
            if self._is_over:
                raise _Over
            self._steps += 1
        try:
            yield
        finally:
            with self._changed:
                self._steps -= 1
                self._changed.notify_all()

    def _stopped(self, index: int) -> Sequence[Runner]:
        """Stop a pair's workers and return them; drop a pair that cannot be stopped."""
        try:
            for runner in self._made[index]:
                runner.worker.freeze()
        except FAILURES:
            self._drop(index)
        return self._made.get(index, ())

    def _drop(self, index: int) -> None:
        """End a pair's workers and their sandboxes."""
        for runner in self._made.pop(index, ()):
            with suppress(*FAILURES):
                runner.worker.close()
        for side in self._sessions[index]:
            with suppress(SandboxError):
                side.give_up_sandbox()
