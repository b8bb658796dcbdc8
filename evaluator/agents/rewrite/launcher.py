"""Swaps in one of the task's variants: chosen by the task's id, the next one in each repeat (decision 25)."""

from __future__ import annotations

import hashlib

from evaluator.agents.interface import Desk, Work
from evaluator.errors import TaskError
from evaluator.records.reasons import Status
from evaluator.tasks import candidate


def launch(desk: Desk) -> Work:
    task = desk.task
    if not task.variants:
        raise TaskError([f"{task.id}: no variants/ for the rewrite agent"])
    start = hashlib.sha256(task.id.encode()).digest()[0]
    name = task.variants[(start + desk.repeat) % len(task.variants)]
    expected = (task.folder / "variants" / name / "expected").read_text(encoding="utf-8").strip()
    return Work(candidate.overlay(task, f"variants/{name}", "rewrite"), "finished", expected=Status(expected))
