"""Look at a process tree through /proc, and end it. For the zygote, and for the judge where there are no namespaces."""

from __future__ import annotations

import contextlib
import os
import signal
import time

DEAD = "ZX"


def living_below(root: int) -> list[int]:
    """All descendants of root that still run, parents before children."""
    table = _table()
    found = [root]
    for pid in found:
        found += [child for child, (parent, _) in table.items() if parent == pid]
    return [pid for pid in found[1:] if table[pid][1] not in DEAD]


def kill_below(root: int, timeout_s: float = 10.0) -> bool:
    """Kill every descendant, pass after pass: a fork may slip through one. Says whether none is left.

    Orphans stay below root only where root (or something below it) is a subreaper, as every zygote is.
    """
    until = time.monotonic() + timeout_s
    while living := living_below(root):
        if time.monotonic() > until:
            return False
        for pid in living:
            kill(pid)
        time.sleep(0.0005)
    return True


def reap_all() -> dict[int, int]:
    """Wait for every child, adopted orphans included; the exit codes by pid (a negative one is a signal)."""
    codes: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return codes
        codes[pid] = os.waitstatus_to_exitcode(status)


def has_exited(child: int, timeout_s: float) -> bool:
    """Does the child end by itself in this time? It stays to be waited for."""
    until = time.monotonic() + timeout_s
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() >= until:
            return False
        time.sleep(0.001)
    return True


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def threads_of(user: int) -> int:
    """How many threads of that user there are now: what the kernel holds against a limit on processes."""
    total = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == user:
                total += len(os.listdir(f"/proc/{name}/task"))
    return total


def parent_of(pid: int) -> int | None:
    entry = _entry(str(pid))
    return entry[0] if entry else None


def _table() -> dict[int, tuple[int, str]]:
    """Parent and state letter of every process in sight."""
    entries = ((int(name), _entry(name)) for name in os.listdir("/proc") if name.isdigit())
    return {pid: entry for pid, entry in entries if entry}


def _entry(pid: str) -> tuple[int, str] | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, parent = file.read().rpartition(b")")[2].split()[:2]
    except (OSError, ValueError):  # it has ended meanwhile
        return None
    return int(parent), state.decode()
