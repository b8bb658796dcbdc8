"""A minimal agent loop: the model writes whole files, gets the results of the check, and tries again.

A turn without a file is answered with what was wrong and counts as no version; a session has at most three turns for
each version. The fastest correct version is submitted, or where none was correct, the last one.
"""

from __future__ import annotations

from evaluator.agents.budget import SpendingCap
from evaluator.agents.chat import Chat, empty_candidate
from evaluator.agents.completions import EndpointUnavailable, RequestRefused
from evaluator.agents.interface import CheckedVersion, SessionContext, SessionOutcome
from evaluator.agents.scoring import speedup_of
from evaluator.records.reasons import Status
from evaluator.records.sessions import Ending
from evaluator.tasks.candidate import Candidate
from evaluator.wording import counted

TURNS_PER_VERSION = 3
DONE = "DONE"


def launch(context: SessionContext) -> SessionOutcome:
    return ChatLoop(context).run()


class ChatLoop:
    def __init__(self, context: SessionContext, chat: Chat | None = None, *, ends_when_right: bool = False) -> None:
        self._context, self._chat = context, chat or Chat(context)
        self._versions, self._ends_when_right = 0, ends_when_right
        self._best: tuple[float, Candidate] | None = None
        self._last = empty_candidate(context)

    def run(self) -> SessionOutcome:
        ended, message = self.talk()
        return self._chat.ledger.outcome(self._best[1] if self._best else self._last, ended, message)

    def talk(self) -> tuple[Ending, str | None]:
        """Go on until it is over; returns how it ended, and why in one sentence.

        Raises:
            HostError: the endpoint gave the session no completion at all.
            RequestStopped: another thread ended the conversation.
        """
        while (over := self._over()) is None:
            try:
                candidate, problem = self._chat.ask()
            except (RequestRefused, EndpointUnavailable, SpendingCap) as error:
                return self._chat.ledger.ending_after(error)
            if candidate is None and self._best and self._chat.last_text.strip().strip(".`*") == DONE:
                return "finished", None
            if candidate is None:
                self._chat.say(f"Nothing could be checked: {problem}.", failed=True)
                continue
            self._versions += 1
            self._hear(candidate, self._context.check(candidate))
        return over

    def _hear(self, candidate: Candidate, checked: CheckedVersion) -> None:
        self._last, right = candidate, checked.record.status is Status.PASSED
        speed = speedup_of(checked.record) or 1.0
        if right and (self._best is None or speed >= self._best[0]):
            self._best = (speed, candidate)
        left = self._context.settings.max_iterations - self._versions
        is_last = not left or (right and self._ends_when_right)
        more = "It was the last one." if is_last else f"You may write {left} more; answer {DONE} to keep the best one."
        self._chat.say(f"Version {checked.number} was checked.\n\n{checked.text}\n{more}", failed=not right)

    def _over(self) -> tuple[Ending, str | None] | None:
        most = self._context.settings.max_iterations
        if self._versions >= most or (self._best and self._ends_when_right):
            return "finished", None
        if len(self._chat.completions) >= TURNS_PER_VERSION * most:
            return (
                "gave_up",
                f"{counted(self._versions, 'version')} in {counted(len(self._chat.completions), 'answer')}",
            )
        return self._chat.ledger.over()
