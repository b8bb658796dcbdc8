"""Runs the corpus on one backend, each file once a session."""

from __future__ import annotations

from evaluator.backends import get_backend
from evaluator.tasks.candidate import Candidate
from tests.cheats.auditor import Frugal
from tests.cheats.ledger import Ledger
from tests.unseen_corpus import corpus
from tests.unseen_corpus.table import LEDGER

Found = dict[str, list[list[str]]]  # category → quadrant and the candidate's reason, for each case


class UnseenAuditor:
    def __init__(self, ledger: Ledger, name: str = "cpu") -> None:
        self.ledger, self.name = ledger, name
        self.evaluator = Frugal(get_backend(name))

    def __enter__(self) -> UnseenAuditor:
        return self

    def __exit__(self, *error: object) -> None:
        self.evaluator.__exit__(*error)

    def entry(self, entry: corpus.Entry) -> Found:
        return self._once(entry.name, entry.header["task"], entry.candidate())

    def expert(self, task: str) -> Found:
        return self._once(f"expert-{task}", task, corpus.agnostic(task))

    def _once(self, name: str, task: str, candidate: Candidate) -> Found:
        found: Found = self.ledger.once(LEDGER + self.name, name, lambda: self._judged(task, candidate))
        return found

    def _judged(self, task: str, candidate: Candidate) -> Found:
        found = corpus.judged(self.evaluator, corpus.task(task), candidate, corpus.unseen_cases(task))
        return {
            category: [[case.quadrant, case.candidate.reason or ""] for case in cases]
            for category, cases in found.items()
        }
