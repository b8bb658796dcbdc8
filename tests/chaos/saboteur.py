"""An evaluator for ARENA_EVALUATOR that makes its worker die, hang or lie at the moment named by ARENA_CHAOS.

It passes everything after ARENA_FAKE_SECONDS, like `tests.runs.fakes.Fake`; queue, database and worker are real.
"""

from __future__ import annotations

import functools
import os
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from runs import archive
from runs.services import hosts, leases
from tests.runs.fakes import Fake


class Doomed(Fake):
    """Dies as soon as its attempt is claimed."""

    def evaluate(self, *args: Any, **options: Any) -> Any:
        die()


class Held(Fake):
    """Evaluates until a file exists, which the test creates."""

    def __init__(self, gate: Path) -> None:
        self._gate = gate

    def evaluate(self, *args: Any, **options: Any) -> Any:
        while not self._gate.exists():
            time.sleep(0.05)
        return super().evaluate(*args, **options)


def open_saboteur(backend: str) -> Fake:
    moment, _, value = os.environ.get("ARENA_CHAOS", "").partition("=")
    if moment == "claimed":
        return Doomed()
    if moment == "held":
        return Held(Path(value))
    if moment == "saving":  # the record lies in the archive, no row knows it
        archive.put = dying_after(archive.put)
    elif moment == "finished":  # the verdict is committed, the broker and the sandbox know nothing of it
        leases.record_verdict = dying_after(leases.record_verdict)
    elif moment == "version":
        leases.VERSION = hosts.VERSION = value
    elif moment == "clock":
        skew(float(value))
    return Fake()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def dying_after(act: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(act)
    def act_and_die(*args: Any, **options: Any) -> None:
        act(*args, **options)
        die()

    return act_and_die


def skew(seconds: float) -> None:
    """Shift all clocks of this process except the monotonic one."""
    now, seconds_now = timezone.now, time.time
    timezone.now = lambda: now() + timedelta(seconds=seconds)
    time.time = lambda: seconds_now() + seconds
