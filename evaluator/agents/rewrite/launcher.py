"""Submits one of the task's variants, chosen by the task's id; each repeat takes the next one (decision 25)."""

from __future__ import annotations

import hashlib

from evaluator.agents.interface import SessionContext, SessionOutcome
from evaluator.errors import TaskError
from evaluator.records.reasons import Status
from evaluator.tasks import candidate


def launch(context: SessionContext) -> SessionOutcome:
    task = context.task
    if not task.variants:
        raise TaskError([f"{task.id}: no variants/ for the rewrite agent"])
    start = hashlib.sha256(task.id.encode()).digest()[0]
    name = task.variants[(start + context.repeat) % len(task.variants)]
    expected = (task.folder / "variants" / name / "expected").read_text(encoding="utf-8").strip()
    return SessionOutcome(candidate.overlay(task, f"variants/{name}", "rewrite"), "finished", expected=Status(expected))
