"""Submits the PyTorch module of the task under torch.compile: what a user gains without writing a kernel."""

from __future__ import annotations

from evaluator.agents.interface import SessionContext, SessionOutcome
from evaluator.tasks import candidate


def launch(context: SessionContext) -> SessionOutcome:
    return SessionOutcome(candidate.compiled_baseline(context.task), "finished")
