"""Submits the faster, hand-written source in the task's expert/ folder; nothing for a plain task, which has none."""

from __future__ import annotations

from evaluator.agents.interface import SessionContext, SessionOutcome
from evaluator.records.reasons import Status
from evaluator.tasks import candidate
from evaluator.tasks.candidate import Candidate


def launch(context: SessionContext) -> SessionOutcome:
    task = context.task
    if task.is_plain:
        nothing = Candidate({}, context.agent, tuple(("not_written", name) for name in task.editable))
        return SessionOutcome(nothing, "gave_up", "a plain task has no expert", expected=Status.NOT_PRODUCED)
    return SessionOutcome(candidate.overlay(task, "expert", "expert"), "finished", expected=Status.PASSED)
