"""One completion, no feedback: what a model writes when it is asked once."""

from __future__ import annotations

from evaluator.agents.budget import SpendingCap
from evaluator.agents.chat import Chat, nothing
from evaluator.agents.interface import Desk, Work
from evaluator.records.sessions import Ending


def launch(desk: Desk) -> Work:
    chat = Chat(desk)
    try:
        candidate, problem = chat.ask()
    except SpendingCap as error:
        return Work(nothing(desk), "spending_cap", str(error), chat.prompt, tuple(chat.transcript), chat.usage)
    ended: Ending = "gave_up" if candidate is None else "finished"
    return Work(candidate or nothing(desk), ended, problem, chat.prompt, tuple(chat.transcript), chat.usage)
