"""Asks a model once, without feedback, and submits what it wrote."""

from __future__ import annotations

from evaluator.agents.budget import SpendingCap
from evaluator.agents.chat import Chat, empty_candidate
from evaluator.agents.interface import SessionContext, SessionOutcome
from evaluator.records.sessions import Ending


def launch(context: SessionContext) -> SessionOutcome:
    chat = Chat(context)
    try:
        candidate, problem = chat.ask()
    except SpendingCap as error:
        return chat.ledger.outcome(empty_candidate(context), "spending_cap", str(error))
    ended: Ending = "gave_up" if candidate is None else "finished"
    return chat.ledger.outcome(candidate or empty_candidate(context), ended, problem)
