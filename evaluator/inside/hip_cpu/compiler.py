"""Run a compiler command in its folder with a time limit, and clean up its messages."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from evaluator.inside.excerpts import excerpt

LOG_LENGTH = 60_000  # characters kept of a compiler's output


class Compilation(NamedTuple):
    ok: bool
    timed_out: bool
    log: str


def run_compiler(command: Sequence[str], folder: Path, deadline: float) -> Compilation:
    """Run the command in `folder`; kill its process group when time.monotonic() reaches `deadline`."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return Compilation(False, True, output.decode(errors="replace"))
    return Compilation(process.returncode == 0, False, output.decode(errors="replace"))


def presentable(log: str, workspaces: Sequence[Path], names: Sequence[tuple[str, str]]) -> str:
    """Return the log with host paths replaced: paths in workspaces become relative, others begin with a name."""
    for workspace in sorted(map(str, workspaces), key=len, reverse=True):
        log = log.replace(f"{workspace}/", "").replace(workspace, ".")
    for path, name in sorted(names, key=lambda pair: len(pair[0]), reverse=True):
        log = log.replace(path, name)
    return excerpt(log, LOG_LENGTH)
