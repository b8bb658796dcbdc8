"""Faults of a worker, caused by its candidate: the pipeline turns each into a status."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from evaluator.wording import counted


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a worker's process: exit code or signal, and the number of processes it left, which were killed."""

    exit_code: int | None
    signal: str | None
    killed: bool  # by the judge, as it did not end by itself
    leftovers: int

    @classmethod
    def from_code(cls, code: int, killed: bool, leftovers: int) -> Ended:
        """Make it from an exit code; a negative one is the number of a signal."""
        if code >= 0:
            return cls(code, None, False, leftovers)
        return cls(None, _name(-code), killed and -code == signal.SIGKILL, leftovers)

    def __str__(self) -> str:
        how = "killed by the judge" if self.killed else self.signal or f"exit code {self.exit_code}"
        return f"{how}, {counted(self.leftovers, 'process', 'processes')} left behind" if self.leftovers else how


class WorkerError(Exception):
    """The process behind a worker failed during `op`; `output` is the end of what it printed."""

    def __init__(self, op: str, detail: str, output: str) -> None:
        super().__init__(f"{op}: {detail}")
        self.op, self.detail, self.output = op, detail, output


class WorkerDied(WorkerError):
    """The worker ended, or closed the connection, without a reply."""

    def __init__(self, op: str, ended: Ended, output: str) -> None:
        super().__init__(op, f"the process ended ({ended})", output)
        self.ended = ended


class WorkerTimeout(WorkerError):
    """The worker did not reply in time, or the sandbox's time was over."""


class LimitExceeded(WorkerError):
    """The worker's processes together exceeded a limit of the sandbox, which `detail` names; all were killed."""


class WorkerFault(WorkerError):
    """The command raised an exception; the worker continues.

    `kind` is the full name of its class, `text` its traceback, `sentence` its class and the line of its text that
    helps, empty if the worker gave none.
    """

    def __init__(self, op: str, kind: str, text: str, output: str, sentence: str = "") -> None:
        super().__init__(op, f"raised {kind}", output)
        self.kind, self.text, self.sentence = kind, text, sentence


class BadReply(WorkerError):
    """The reply does not belong to the command or violates the protocol: the candidate forged it."""


class OutputFlood(WorkerError):
    """The worker printed more than its limit."""


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
