"""Agents' sessions for tests: each value with a default that a keyword changes."""

from __future__ import annotations

from typing import Any

from evaluator.records.reasons import Status
from evaluator.records.record import TaskRef
from evaluator.records.sessions import IterationRecord, SessionRecord, TranscriptEntry, Usage
from evaluator.tasks.candidate import Candidate

DIFF = "--- a/gelu.hip\n+++ b/gelu.hip\n@@ -1,2 +1,3 @@\n-// old\n+// new\n+__launch_bounds__(256)\n same\n"


def make_iteration(number: int = 1, status: Status = Status.PASSED, **changes: Any) -> IterationRecord:
    passed = status is Status.PASSED
    values = {
        "number": number,
        "at_s": 2.0 * number,
        "seconds": 1.5,
        "digest": f"{number:064x}",
        "status": status,
        "message": None if passed else "It does not compile.",
        "speedup": None,
        "diff": DIFF,
    }
    return IterationRecord(**values | changes)


def make_session(task: TaskRef, candidate: Candidate, **changes: Any) -> SessionRecord:
    """Two versions, of which the first does not compile; the second is the candidate. Half a cent by its prices."""
    values = {
        "schema": 1,
        "evaluator": "0.1.0",
        "agent": "chat_loop",
        "settings": {"max_iterations": "3", "input_price": "1", "output_price": "2"},
        "task": task,
        "repeat": 0,
        "architecture": "gfx942",
        "device_class": "cpu-x86_64",
        "started_at": "2026-11-01T12:00:00+00:00",
        "seconds": 12.5,
        "ended": "finished",
        "message": None,
        "candidate": candidate.ref(),
        "problems": candidate.problems,
        "prompt": "# 1. Task\n\nMake it faster.\n",
        "usage": Usage(
            turns=2,
            input_tokens=1000,
            cached_input_tokens=200,
            output_tokens=2000,
            cost_usd=0.005,
            tool_calls=0,
            model="m-1",
        ),
        "iterations": (
            make_iteration(1, Status.BUILD_FAILED),
            make_iteration(2, digest=candidate.digest, at_s=6.0),
        ),
        "transcript": (
            TranscriptEntry("prompt", "Make it faster."),
            TranscriptEntry("text", "I shall."),
            TranscriptEntry("check", "status: build_failed", failed=True),
            TranscriptEntry("tool_call", "ls", tool="shell"),
        ),
    }
    return SessionRecord(**values | changes)
