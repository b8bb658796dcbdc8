"""Several conversations at a time, each as in chat_loop; the first right version ends them all and is submitted.

The workers wait for the model at the same time and are checked one at a time, since there is one device. A worker that
fails ends alone. Where no version is right, the last one is submitted.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Lock

from evaluator.agents.chat import Chat, empty_candidate
from evaluator.agents.chat_loop.launcher import ChatLoop
from evaluator.agents.completions import RequestStopped
from evaluator.agents.interface import CheckedVersion, SessionContext, SessionOutcome
from evaluator.agents.ledger import SessionLedger
from evaluator.agents.transport import Stop
from evaluator.errors import HostError
from evaluator.records.reasons import Status
from evaluator.records.sessions import Ending
from evaluator.tasks.candidate import Candidate

Outcome = tuple[Ending, str | None]
WORST_FIRST: tuple[Ending, ...] = ("spending_cap", "timed_out", "failed", "gave_up")


class _OutOfTime(Exception):
    """The deadline was over before the device was free."""


def launch(context: SessionContext) -> SessionOutcome:
    return ParallelWorkers(context).run()


class ParallelWorkers:
    def __init__(self, context: SessionContext) -> None:
        settings = context.settings
        self._workers = min(int(settings.number("workers") or 1), settings.max_iterations)
        each = replace(settings, max_iterations=settings.max_iterations // self._workers)
        self._context = replace(context, settings=each)
        self._ledger = SessionLedger(self._context)
        self._stop, self._device = Stop(), Lock()
        self._candidate, self._is_right = empty_candidate(context), False
        self._fault: Exception | None = None
        self._silence: HostError | None = None

    def run(self) -> SessionOutcome:
        with ThreadPoolExecutor(self._workers, thread_name_prefix="worker") as pool:
            try:
                outcomes = list(pool.map(self._work, range(1, self._workers + 1)))
            finally:
                self._stop.set()  # where this thread was interrupted, the pool would wait for the model
        if self._fault is not None:
            raise self._fault
        if self._silence is not None and not self._ledger.completions:
            raise self._silence
        ended, message = ("finished", None) if self._is_right else _together(outcomes)
        return self._ledger.outcome(self._candidate, ended, message)

    def _work(self, number: int) -> Outcome:
        """One worker's conversation, and how it ended."""
        chat = Chat(self._context, self._ledger, conversation=number, stop=self._stop)
        context = replace(self._context, check=self._check_of_a_worker())
        try:
            return ChatLoop(context, chat, ends_when_right=True).talk()
        except RequestStopped:
            return "finished", None
        except HostError as error:  # no completion for anyone yet; perhaps there is one for others
            self._silence = error
            return self._ledger.ending_after(error)
        except _OutOfTime:
            return "timed_out", "the session ran out of time before a version could be checked"
        except BaseException:
            self._stop.set()
            raise

    def _check_of_a_worker(self) -> Callable[..., CheckedVersion]:
        """A check that knows the worker's version before; a fault of ours in it ends all workers."""
        before: tuple[int, ...] = ()

        def check(candidate: Candidate, parents: tuple[int, ...] | None = None) -> CheckedVersion:
            nonlocal before
            with self._device:
                if self._stop.is_set:
                    raise RequestStopped
                if self._context.left_s <= 0:  # after the checks of others
                    raise _OutOfTime
                try:
                    checked = self._context.check(candidate, before)
                except Exception as error:
                    self._fault = error
                    self._stop.set()
                    raise RequestStopped from error
                before, self._candidate = (checked.number,), candidate
                if checked.record.status is Status.PASSED:
                    self._is_right = True
                    self._stop.set()
                return checked

        return check


def _together(outcomes: list[Outcome]) -> Outcome:
    """How a session without a right version ended: as the worst of its workers, with the sentences of all such."""
    for ending in WORST_FIRST:
        said = [f"worker {number}: {why}" for number, (ended, why) in enumerate(outcomes, 1) if ended == ending]
        if said:
            return ending, "; ".join(said)
    return "finished", None
