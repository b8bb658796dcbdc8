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
    def __init__(self, context: SessionContext) -> None:
        self._context, self._chat = context, Chat(context)
        self._versions = 0
        self._best: tuple[float, Candidate] | None = None
        self._last = empty_candidate(context)

    def run(self) -> SessionOutcome:
        ended, message = self._talk()
        candidate = self._best[1] if self._best else self._last
        chat = self._chat
        return SessionOutcome(candidate, ended, message, chat.prompt, tuple(chat.transcript), chat.usage)

    def _talk(self) -> tuple[Ending, str | None]:
        while (over := self._over()) is None:
            try:
                candidate, problem = self._chat.ask()
            except (RequestRefused, EndpointUnavailable) as error:
                return ("timed_out" if self._context.left_s <= 0 else "failed"), str(error)
            except SpendingCap as error:
                return "spending_cap", str(error)
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
        more = f"You may write {left} more; answer {DONE} to keep the best one." if left else "It was the last one."
        self._chat.say(f"Version {checked.number} was checked.\n\n{checked.text}\n{more}", failed=not right)

    def _over(self) -> tuple[Ending, str | None] | None:
        most, budget = self._context.settings.max_iterations, self._context.settings.number("output_token_budget")
        if self._versions >= most:
            return "finished", None
        if len(self._chat.completions) >= TURNS_PER_VERSION * most:
            return (
                "gave_up",
                f"{counted(self._versions, 'version')} in {counted(len(self._chat.completions), 'answer')}",
            )
        if self._context.left_s <= 0 and self._chat.completions:  # without one, `ask` reports the host's fault
            return "timed_out", "the session ran out of time"
        if budget is not None and (self._chat.usage.output_tokens or 0) >= budget:
            return "gave_up", f"the budget of {budget:.0f} output tokens was used up"
        return None
