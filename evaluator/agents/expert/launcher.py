"""Hands in the honest better source that is kept with the task."""

from __future__ import annotations

from evaluator.agents.interface import Desk, Work
from evaluator.records.reasons import Status
from evaluator.tasks import candidate


def launch(desk: Desk) -> Work:
    return Work(candidate.overlay(desk.task, "expert", "expert"), "finished", expected=Status.PASSED)
