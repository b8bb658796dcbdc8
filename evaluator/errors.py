"""Exceptions for faults of users, tasks and hosts. A candidate's fault is never one: it is a Status with a reason."""

from __future__ import annotations


class EvaluatorError(Exception):
    """A failure that is not the candidate's fault."""


class UsageError(EvaluatorError):
    """The command or its arguments are invalid (exit code 2)."""


class TaskError(EvaluatorError):
    """A task folder breaks the format; `problems` has every fault (exit code 2)."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class HostError(EvaluatorError):
    """This host cannot do what was asked (exit code 3)."""


class SandboxError(HostError):
    """The sandbox does not start, or ended through no fault of the candidate."""


class BaselineError(EvaluatorError):
    """The task's own baseline fails, so the task or the host is broken."""
