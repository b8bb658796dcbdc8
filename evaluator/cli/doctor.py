"""Checks what this host can do by trying everything that an evaluation needs."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from evaluator.backends import Backend, present
from evaluator.errors import EvaluatorError, HostError
from evaluator.health.checks import HealthCheck
from evaluator.sandbox import WorkerError, open_sandbox
from evaluator.state import state_folder
from evaluator.tasks.reader import load_task, task_ids
from evaluator.wording import counted

RESERVE_MB = 1024  # that a site keeps where ARENA_LEAST_FREE_MB says nothing else; a worker takes no work below it
NEAR = 2  # times the reserve


def checks(backend: Backend, sandbox: str) -> Iterator[HealthCheck]:
    """The results of all checks, cheapest first. `sandbox` is the kind that has to work; auto: any."""
    version = ".".join(map(str, sys.version_info[:3]))
    yield HealthCheck("python", sys.version_info >= (3, 11), True, f"{version} (3.11 or newer is needed)")
    yield _packages()
    yield _disk()
    yield _device(backend)
    yield _hip(backend)
    for kind in ("bubblewrap", "plain"):
        yield _sandbox(kind, kind == (sandbox if sandbox != "auto" else "plain"), backend)
    yield _tasks()


def _disk() -> HealthCheck:
    """Whether the state folder's disk, and the archive's where it is elsewhere, has twice the reserve."""
    said = os.environ.get("ARENA_LEAST_FREE_MB", "")
    reserve_mb = int(said) if said.isdigit() else RESERVE_MB
    archive = Path(os.environ.get("ARENA_ARCHIVE") or state_folder())
    folder = min(
        (one for one in (state_folder(), archive) if one.is_dir()), key=lambda one: shutil.disk_usage(one).free
    )
    free_mb = shutil.disk_usage(folder).free >> 20
    told = f"{free_mb / 1024:.1f} GiB free for {folder} (no work is taken below {reserve_mb / 1024:.1f})"
    return HealthCheck("disk", free_mb >= NEAR * reserve_mb, free_mb < reserve_mb, told)


def _packages() -> HealthCheck:
    try:
        import torch
        import triton
    except ImportError as error:
        return HealthCheck("packages", False, True, str(error))
    return HealthCheck("packages", True, True, f"torch {torch.__version__}, triton {triton.__version__}")


def _device(backend: Backend) -> HealthCheck:
    facts = [backend.device_class, backend.architecture, *filter(None, map(backend.facts().get, ("card", "driver")))]
    text = f"{', '.join(facts)}; available backends: {', '.join(present())}"
    zones = backend.facts().get("red_zones", "on")
    return HealthCheck("device", zones == "on", False, text if zones == "on" else f"{text}; red zones {zones}")


def _hip(backend: Backend) -> HealthCheck:
    try:
        toolchain = backend.toolchain
    except HostError as error:
        return HealthCheck("hip toolchain", False, False, f"no candidate in HIP can run here: {error}")
    return HealthCheck("hip toolchain", True, False, toolchain.summary)


def _sandbox(kind: str, needed: bool, backend: Backend) -> HealthCheck:
    try:
        with (
            open_sandbox(kind, limits=backend.limits, access=backend.access()) as sandbox,  # type: ignore[arg-type]
            sandbox.spawn(mailbox_bytes=1 << 16) as worker,
        ):
            worker.put("probe", b"probe")
            text = f"ready in {sandbox.ready_s:.1f} s; {', '.join(sandbox.strength)}"
    except (EvaluatorError, WorkerError) as error:
        return HealthCheck(f"sandbox {kind}", False, needed, str(error))
    return HealthCheck(f"sandbox {kind}", True, needed, text)


def _tasks() -> HealthCheck:
    problems, ids = [], task_ids()
    for task_id in ids:
        try:
            load_task(task_id)
        except EvaluatorError as error:
            problems.append(str(error))
    text = "\n".join(problems) or f"{counted(len(ids), 'task')} read"
    return HealthCheck("tasks", bool(ids) and not problems, True, text)
