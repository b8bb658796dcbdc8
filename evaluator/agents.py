"""The built-in agents, which need no model: two reference lines and `rewrite`, the first real entry."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from evaluator import candidate
from evaluator.candidate import Candidate
from evaluator.errors import TaskError, UsageError
from evaluator.reasons import Status
from evaluator.taskspec import TaskSpec


@dataclass(frozen=True, slots=True)
class Produced:
    """What an agent wrote for one task, and, since these agents are known, the status it must get."""

    candidate: Candidate
    expected: Status


def produce(agent: str, task: TaskSpec, repeat: int = 0) -> Produced:
    """Let a built-in agent write its candidate for a task.

    Raises:
        UsageError: there is no such agent.
    """
    if agent not in AGENTS:
        raise UsageError(f"no agent is named {agent!r}; there are {', '.join(AGENTS)}")
    return AGENTS[agent](task, repeat)


def _baseline(task: TaskSpec, repeat: int) -> Produced:
    return Produced(candidate.baseline(task), Status.PASSED)


def _expert(task: TaskSpec, repeat: int) -> Produced:
    return Produced(candidate.overlay(task, "expert", "expert"), Status.PASSED)


def _rewrite(task: TaskSpec, repeat: int) -> Produced:
    """Swap in one of the task's variants: chosen by the task's id, the next one in each repeat."""
    if not task.variants:
        raise TaskError([f"{task.id}: no variants/ for the rewrite agent"])
    start = hashlib.sha256(task.id.encode()).digest()[0]
    name = task.variants[(start + repeat) % len(task.variants)]
    expected = (task.folder / "variants" / name / "expected").read_text(encoding="utf-8").strip()
    return Produced(candidate.overlay(task, f"variants/{name}", "rewrite"), Status(expected))


AGENTS: dict[str, Callable[[TaskSpec, int], Produced]] = {
    "baseline": _baseline,
    "expert": _expert,
    "rewrite": _rewrite,
}
