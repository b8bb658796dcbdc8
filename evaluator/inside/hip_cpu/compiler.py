"""Run a compiler command in its folder with a time limit, and clean up its messages."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from evaluator.inside.excerpts import excerpt

LOG_LENGTH = 60_000  # characters kept of a compiler's output

# What clang's, gcc's and nvcc's drivers print when a signal has ended one of their programs.
_ENDED = re.compile(
    r"unable to execute command: (Killed|[A-Z][\w ]+)|fatal error: (\w+) signal terminated program|"
    r"'\w+' died due to signal (\d+)"
)
_SIGNALS = {signal.strsignal(number): number.name for number in signal.Signals}  # as such texts name them → name
_OUT_OF_MEMORY = ("LLVM ERROR: out of memory", "std::bad_alloc", "virtual memory exhausted", "out of memory allocating")


class Compilation(NamedTuple):
    ok: bool
    timed_out: bool
    log: str  # its first line says so if the compiler did not end by itself


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
    log = output.decode(errors="replace")
    return Compilation(process.returncode == 0, False, _what_ended_it(process.returncode, log) + log)


def _what_ended_it(code: int, log: str) -> str:
    """Return a line on what ended a compiler, or a program that it started; empty if it ended by itself."""
    if code == 0:
        return ""
    if any(words in log for words in _OUT_OF_MEMORY):
        return f"error: the compiler needs more memory than {_limit(resource.RLIMIT_AS, 1 << 20, 'MiB')}\n"
    found = _ENDED.search(log)
    if code < 0:
        what = str(signal.strsignal(-code))
    elif found:
        what = next(filter(None, found.groups()))
        what = str(signal.strsignal(int(what))) if what.isdigit() else what
    else:
        return ""
    name = _SIGNALS.get(what, what)
    causes = {
        "SIGXCPU": f"it used its processor time, {_limit(resource.RLIMIT_CPU, 1, 's')}",
        "SIGXFSZ": f"it wrote a file of more than {_limit(resource.RLIMIT_FSIZE, 1 << 20, 'MiB')}",
        "SIGKILL": "memory or processor time ran out",
    }
    return f"error: the compiler was ended by {name}: {causes.get(name, 'it crashed')}\n"


def _limit(name: int, unit: int, word: str) -> str:
    value = resource.getrlimit(name)[0]
    return f"{value // unit} {word}" if value != resource.RLIM_INFINITY else "this host has"


def presentable(log: str, workspaces: Sequence[Path], names: Sequence[tuple[str, str]]) -> str:
    """Return the log with host paths replaced: paths in workspaces become relative, others begin with a name."""
    for workspace in sorted(map(str, workspaces), key=len, reverse=True):
        log = log.replace(f"{workspace}/", "").replace(workspace, ".")
    for path, name in sorted(names, key=lambda pair: len(pair[0]), reverse=True):
        log = log.replace(path, name)
    return excerpt(log, LOG_LENGTH)
