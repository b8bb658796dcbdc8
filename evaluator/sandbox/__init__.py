"""Confined processes for candidates, the judge's side: open a sandbox, spawn workers in it, send them commands.

    with open_sandbox("auto") as sandbox, sandbox.spawn(mailbox_bytes=1 << 20) as worker:
        worker.put("kernel.py", source)
        worker.call("load", path="kernel.py", timeout_s=30)

Faults of a candidate are raised as WorkerError, faults of the host as SandboxError.
"""

from __future__ import annotations

from evaluator.inside.limits import Access, Limits
from evaluator.sandbox.faults import (
    BadReply,
    Ended,
    LimitExceeded,
    OutputFlood,
    WorkerDied,
    WorkerError,
    WorkerFault,
    WorkerTimeout,
)
from evaluator.sandbox.sandbox import STRONG_SANDBOX, Sandbox, open_sandbox
from evaluator.sandbox.standby import Standby
from evaluator.sandbox.worker import Worker

__all__ = [
    "STRONG_SANDBOX",
    "Access",
    "BadReply",
    "Ended",
    "LimitExceeded",
    "Limits",
    "OutputFlood",
    "Sandbox",
    "Standby",
    "Worker",
    "WorkerDied",
    "WorkerError",
    "WorkerFault",
    "WorkerTimeout",
    "open_sandbox",
]
