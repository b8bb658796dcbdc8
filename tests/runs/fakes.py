"""Fast evaluators for the seam EVALUATOR: each names what it does in place of an evaluation."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from time import sleep

from evaluator.candidate import Candidate
from evaluator.errors import HostError
from evaluator.records import Record
from evaluator.taskspec import TaskSpec
from tests.records import record_for


class Fake(AbstractContextManager["Fake"]):
    """Passes everything after ARENA_FAKE_SECONDS."""

    def __exit__(self, *error: object) -> None:
        return None

    def evaluate(self, task: TaskSpec, candidate: Candidate) -> Record:
        sleep(float(os.environ.get("ARENA_FAKE_SECONDS", "0")))
        return record_for(task.id, task.digest, task.category, candidate)


class Broken(Fake):
    def evaluate(self, task: TaskSpec, candidate: Candidate) -> Record:
        raise HostError("the device is gone")


class Confused(Fake):
    """Hands in the record of another candidate."""

    def evaluate(self, task: TaskSpec, candidate: Candidate) -> Record:
        return record_for(task.id, task.digest, task.category, Candidate({"other.py": b"x"}, "other"))


def open_fake(backend: str) -> Fake:
    return Fake()


def open_broken(backend: str) -> Broken:
    return Broken()


def open_confused(backend: str) -> Confused:
    return Confused()
