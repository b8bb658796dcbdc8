"""Fast fake evaluators for the setting EVALUATOR."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from time import sleep
from types import MappingProxyType
from typing import TYPE_CHECKING

from evaluator.agents.catalog import AgentFolder, settings_text
from evaluator.agents.interface import SessionListener
from evaluator.errors import HostError
from evaluator.health.trial import Trial
from evaluator.records.record import HostInfo, Record, TaskRef
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from evaluator.unseen.cases import UnseenCase
from evaluator.unseen.record import UnseenRecord
from tests.agent_sessions import make_session
from tests.records import record_for
from tests.runs.unseen_records import make_unseen

if TYPE_CHECKING:
    from evaluator.workbench import FinishedSession

GOOD, BAD = Trial("known good", True, "passed"), Trial("known good", False, "crashed in 2.0 s, expected passed")


class Fake(AbstractContextManager["Fake"]):
    """Passes everything after ARENA_FAKE_SECONDS, and has no known kernels to try."""

    def __exit__(self, *error: object) -> None:
        return None

    def host(self) -> HostInfo:
        return HostInfo("cpu", "cpu-x86_64", "cpu", {"torch": "none"})

    def trials(self) -> list[Trial]:
        return []

    def calibration(self) -> Mapping[str, object]:
        return {}

    def evaluate(self, task: TaskSpec, candidate: Candidate, *, uploaded: bool = False) -> Record:
        sleep(float(os.environ.get("ARENA_FAKE_SECONDS", "0")))
        return record_for(task.id, task.digest, task.category, candidate)

    def run_session(
        self, task: TaskSpec, agent: AgentFolder, *, repeat: int, budget_usd: float, on_event: SessionListener
    ) -> FinishedSession:
        """Of an agent that writes the task's name into its files."""
        from evaluator.workbench import (
            FinishedSession,  # it loads torch: 1.5 s that most workers of a fake can do without
        )

        candidate = Candidate({path: f"// by {agent.name}\n".encode() for path in task.editable}, agent.name)
        session = make_session(
            TaskRef(task.id, task.digest, task.category), candidate, agent=agent.name, settings=settings_text(agent)
        )
        for news in (*session.transcript, *session.iterations):
            on_event(news)
        return FinishedSession(session, candidate, None)

    def evaluate_unseen(
        self,
        task: TaskSpec,
        candidate: Candidate,
        cases: Sequence[UnseenCase],
        *,
        round_digest: str,
        generator: str,
        uploaded: bool = False,
    ) -> UnseenRecord:
        return make_unseen(task, candidate, cases, round_digest=round_digest, generator=generator)


class Broken(Fake):
    def evaluate(self, task: TaskSpec, candidate: Candidate, *, uploaded: bool = False) -> Record:
        raise HostError("the device is gone")


class Confused(Fake):
    """Returns the record of another candidate."""

    def evaluate(self, task: TaskSpec, candidate: Candidate, *, uploaded: bool = False) -> Record:
        return record_for(task.id, task.digest, task.category, Candidate({"other.py": b"x"}, "other"))


class Scripted(Fake):
    """Trials are good in the evaluators whose number is in `good`; notes how often it was opened and tried."""

    good: set[int] | None = None  # None: in all
    opened = tried = 0
    outcome: Exception | str | None = None  # of an evaluation: raised, or a reason
    figures: Mapping[str, object] = MappingProxyType({})
    device_class = "cpu-x86_64"

    def __enter__(self) -> Scripted:
        type(self).opened += 1
        return self

    def host(self) -> HostInfo:
        return HostInfo("cpu", self.device_class, "cpu", {"torch": "none"})

    def trials(self) -> list[Trial]:
        type(self).tried += 1
        return [GOOD if self.good is None or self.opened in self.good else BAD]

    def evaluate(self, task: TaskSpec, candidate: Candidate, *, uploaded: bool = False) -> Record:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return record_for(task.id, task.digest, task.category, candidate, reason=self.outcome)

    def calibration(self) -> Mapping[str, object]:
        return self.figures


def open_fake(backend: str) -> Fake:
    return Fake()


def open_broken(backend: str) -> Broken:
    return Broken()


def open_confused(backend: str) -> Confused:
    return Confused()


SCRIPTED: list[type[Scripted]] = []  # the class of the test that runs


def open_scripted(backend: str) -> Scripted:
    return SCRIPTED[0]()
