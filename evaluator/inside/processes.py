"""Look at a process tree through /proc, and end it. For the zygote, and for the judge where there are no namespaces."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable

DEAD, STOPPED = "ZX", "Tt"
INIT, EVERYBODY = 1, -1  # an init kills its whole namespace in one call, that no fork can slip through
PAUSE_S = 0.0005


def living_below(root: int) -> list[int]:
    """All descendants of root that still run, parents before children: also one whose main thread alone has ended."""
    table = _table()
    return [pid for pid in _descendants(root, table) if table[pid][1] not in DEAD or _has_thread(pid, DEAD)]


def kill_below(root: int, timeout_s: float = 10.0) -> bool:
    """Kill every descendant, pass after pass, since a fork may slip through one. Says whether none is left.

    Orphans stay below root only where root (or something below it) is a subreaper, as every zygote is.
    """
    until = time.monotonic() + timeout_s
    while living := living_below(root):
        if time.monotonic() > until:
            return False
        _send(signal.SIGKILL, living)
        time.sleep(PAUSE_S)
    return True


def stop_below(root: int, timeout_s: float = 5.0) -> bool:
    """Stop every thread of every descendant, pass after pass, since a fork may slip through one. Says if all stand.

    A thread inside a driver's call stands only when that returns.
    """
    until = time.monotonic() + timeout_s
    while moving := [pid for pid in _descendants(root) if _has_thread(pid, DEAD + STOPPED)]:
        if time.monotonic() > until:
            return False
        _send(signal.SIGSTOP, moving)
        time.sleep(PAUSE_S)
    return True


def continue_below(root: int) -> None:
    """Undo stop_below."""
    _send(signal.SIGCONT, _descendants(root))


def end_all(timeout_s: float = 10.0) -> dict[int, int] | None:
    """For a zygote, which adopts orphans: kill and reap until it has no child any more, so that none can be hiding.

    The exit codes by pid (a negative one is a signal); None if some do not die.
    """
    until, codes = time.monotonic() + timeout_s, {}
    while time.monotonic() < until:
        _send(signal.SIGKILL, [EVERYBODY] if os.getpid() == INIT else living_below(os.getpid()))
        try:
            while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                codes[ended[0]] = os.waitstatus_to_exitcode(ended[1])
        except ChildProcessError:
            return codes
        time.sleep(PAUSE_S)
    return None


def has_exited(child: int, timeout_s: float) -> bool:
    """Does the child end by itself in this time? It stays to be waited for."""
    until = time.monotonic() + timeout_s
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() >= until:
            return False
        time.sleep(0.001)
    return True


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


def _send(number: int, pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _descendants(root: int, table: dict[int, tuple[int, str]] | None = None) -> list[int]:
    """Parents before children."""
    table, found = _table() if table is None else table, [root]
    for pid in found:
        found += [child for child, (parent, _) in table.items() if parent == pid]
    return found[1:]


def _has_thread(pid: int, others: str) -> bool:
    """Is any of its threads in none of these states? The main one, whose state is the process's, may end first."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        entries = [_entry(f"{pid}/task/{thread}") for thread in os.listdir(f"/proc/{pid}/task")]
        return any(entry[1] not in others for entry in entries if entry)
    return False


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
