"""Hands in the task's own source: the line that others are compared with."""

from __future__ import annotations

from evaluator import candidate
from evaluator.agents.interface import Desk, Work
from evaluator.reasons import Status


def launch(desk: Desk) -> Work:
    return Work(candidate.baseline(desk.task), "finished", expected=Status.PASSED)
