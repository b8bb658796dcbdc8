"""Hands in the honest better source that is kept with the task."""

from __future__ import annotations

from evaluator import candidate
from evaluator.agents.interface import Desk, Work
from evaluator.reasons import Status


def launch(desk: Desk) -> Work:
    return Work(candidate.overlay(desk.task, "expert", "expert"), "finished", expected=Status.PASSED)
