"""Our own faults, as exceptions. What a candidate does wrong is never here: that is a value, a Status with a reason."""

from __future__ import annotations


class EvaluatorError(Exception):
    """Something of ours failed; the candidate is not to blame."""


class UsageError(EvaluatorError):
    """The command or its arguments make no sense (exit code 2)."""


class TaskError(EvaluatorError):
    """A task folder breaks the format; `problems` holds every one of them (exit code 2)."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class HostError(EvaluatorError):
    """This host cannot do what was asked (exit code 3)."""


class SandboxError(HostError):
    """The sandbox does not start or has gone without a candidate's doing."""


class BaselineError(EvaluatorError):
    """The task's own baseline fails where it must not: the task or the host is broken."""
