"""Asks for several candidates at a time, each in a conversation of its own that begins with the best versions so far.

The candidates of one generation are shown the same versions and do not know each other. An answer without a file
counts as a candidate. The best version of all is submitted.
"""

from __future__ import annotations

from collections.abc import Iterable

from evaluator.agents.budget import SpendingCap
from evaluator.agents.chat import Chat, empty_candidate
from evaluator.agents.completions import EndpointUnavailable, RequestRefused
from evaluator.agents.fenced_files import fenced
from evaluator.agents.interface import CheckedVersion, SessionContext, SessionOutcome
from evaluator.agents.ledger import SessionLedger
from evaluator.agents.scoring import speedup_of
from evaluator.records.reasons import Status
from evaluator.records.sessions import Ending
from evaluator.tasks.candidate import Candidate
from evaluator.wording import counted

Version = tuple[Candidate, CheckedVersion]
SHOWN = """\
# Versions so far

These were checked, the best one first. Write one that is better: right where they are wrong, else faster.
"""


def launch(context: SessionContext) -> SessionOutcome:
    return Population(context).run()


class Population:
    def __init__(self, context: SessionContext) -> None:
        self._context, self._ledger = context, SessionLedger(context, versions=1)
        self._versions: dict[int, Version] = {}  # by number

    def run(self) -> SessionOutcome:
        ended, message = self._generations()
        best = self._best(1)
        return self._ledger.outcome(best[0][0] if best else empty_candidate(self._context), ended, message)

    def _generations(self) -> tuple[Ending, str | None]:
        settings = self._context.settings
        most, size = settings.max_iterations, int(settings.number("candidates") or 1)
        for asked in range(most):
            if asked % size == 0:
                kept = self._best(int(settings.number("kept") or 1))
            if over := self._ledger.over():
                return over
            try:
                self._ask(asked + 1, kept)
            except (RequestRefused, EndpointUnavailable, SpendingCap) as error:
                return self._ledger.ending_after(error)
        return ("finished", None) if self._versions else ("gave_up", f"no version in {counted(most, 'answer')}")

    def _ask(self, number: int, kept: list[Version]) -> None:
        chat = Chat(self._context, self._ledger, shown=_text_of(kept), conversation=number)
        candidate, problem = chat.ask()
        if candidate is None:
            chat.say(f"Nothing could be checked: {problem}.", failed=True)
            return
        checked = self._context.check(candidate, tuple(version.number for _, version in kept))
        self._versions[checked.number] = candidate, checked
        right = checked.record.status is Status.PASSED
        chat.say(f"Version {checked.number} was checked.\n\n{checked.text}", failed=not right)

    def _best(self, most: int) -> list[Version]:
        """The best versions, the best first: those that passed more gates, then the faster, then the newer ones."""

        def order(version: Version) -> tuple[int, float, int]:
            record = version[1].record
            gates = sum(gate.outcome == "passed" for gate in record.gates)
            return gates, speedup_of(record) or 1.0, version[1].number

        return sorted(self._versions.values(), key=order, reverse=True)[:most]


def _text_of(kept: Iterable[Version]) -> str:
    """What a candidate is shown of the versions that are kept; empty where there is none."""
    parts = [f"## Version {version.number}\n\n{version.text}\n{_files(candidate)}" for candidate, version in kept]
    return "\n".join([SHOWN, *parts]) if parts else ""


def _files(candidate: Candidate) -> str:
    return "\n".join(fenced(name, data) for name, data in candidate.files.items())
