"""Session contexts without an evaluator: their check returns what a test says and records the candidates."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from time import monotonic
from typing import NoReturn

from evaluator.agents.catalog import read_agent
from evaluator.agents.interface import CheckedVersion, SessionContext, SessionOutcome
from evaluator.records.record import Record
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from tests.evaluator.test_records import passed

Judge = Callable[[Candidate], Record]


class ScriptedCheck:
    """Stands for the workbench."""

    def __init__(self, judge: Judge = lambda candidate: passed(), told: str = "status: passed\n") -> None:
        self.judge, self.told = judge, told
        self.seen: list[Candidate] = []
        self.parents: list[tuple[int, ...] | None] = []

    def __call__(self, candidate: Candidate, parents: tuple[int, ...] | None = None) -> CheckedVersion:
        self.seen.append(candidate)
        self.parents.append(parents)
        record = dataclasses.replace(self.judge(candidate), candidate=candidate.ref())
        return CheckedVersion(len(self.seen), record, self.told)


def context_for(
    name: str, task: TaskSpec, check: ScriptedCheck, changes: Mapping[str, object] | None = None, **fields: object
) -> SessionContext:
    settings = read_agent(name, changes).settings
    known = {"deadline": monotonic() + settings.timeout_s, "architecture": "gfx942", "repeat": 0, "agent": name}
    return SessionContext(task=task, settings=settings, check=check, **{**known, **fields})


def texts(work: SessionOutcome, kind: str = "text") -> list[str]:
    return [entry.text for entry in work.transcript if entry.kind == kind]


def raised(error: Exception) -> NoReturn:
    raise error
