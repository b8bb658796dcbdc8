"""Helpers to run a probe in a new worker and to find its processes on the host."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from evaluator.sandbox import Limits, Sandbox, Worker

PROBES = Path(__file__).parent / "probes"
MiB = 1 << 20
DEADLINE_S = 120.0  # for what takes a moment on a quiet host: over it only means failure
SMALL = Limits(
    memory_bytes=4096 * MiB,
    cpu_s=2,
    processes=40,
    file_bytes=8 * MiB,
    workspace_bytes=32 * MiB,
    tmp_bytes=16 * MiB,
    shm_bytes=16 * MiB,
    output_bytes=2 * MiB,
    wall_s=7200,  # one sandbox for a whole session of tests
)


@contextlib.contextmanager
def probing(sandbox: Sandbox, probe: str, **variables: object) -> Iterator[Worker]:
    """Open a new worker with the probe and its variables; start it with `run`."""
    environment = {name: str(value) for name, value in variables.items()}
    with sandbox.spawn(mailbox_bytes=64 * 1024, environment=environment) as worker:
        worker.put("probe.py", (PROBES / f"{probe}.py").read_bytes())
        yield worker


def run(worker: Worker, timeout_s: float = DEADLINE_S) -> None:
    worker.call("run", path="probe.py", timeout_s=timeout_s)


def seen(sandbox: Sandbox, probe: str, **variables: object) -> Any:
    """Run a probe and return what it printed."""
    with probing(sandbox, probe, **variables) as worker:
        run(worker)
        return json.loads(worker.output())


def wait_until(holds: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < until, f"waited too long: {what}"
        time.sleep(0.02)


def marked_processes(mark: str) -> list[int]:
    """Return the host's processes, in any namespace, with the word in their command line or name."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            if mark.encode() in words or mark[:15] == Path(f"/proc/{name}/comm").read_text().rstrip():
                found.append(int(name))
    return found
