"""Inspect and end process trees through /proc: in the zygote, and in the judge where there are no namespaces."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable

DEAD, STOPPED = "ZX", "Tt"
INIT, EVERYBODY = 1, -1  # an init kills its whole namespace at once, which no fork can escape
PAUSE_S = 0.0005
KILL_TIMEOUT_S = 40.0  # on a host that they have overloaded; less than the judge waits for a zygote's reply


def living_below(root: int) -> list[int]:
    """Return all running descendants, parents before children; also those of which only the main thread has ended."""
    table = _table()
    return [pid for pid in _descendants(root, table) if table[pid][1] not in DEAD or _has_thread(pid, DEAD)]


def kill_below(root: int, timeout_s: float = KILL_TIMEOUT_S) -> bool:
    """Kill every descendant, repeatedly, since a fork may escape one pass; return whether none is left.

    Orphans stay below root only if root, or a process below it, is a subreaper, as every zygote is.
    """
    until = time.monotonic() + timeout_s
    while living := living_below(root):
        if time.monotonic() > until:
            return False
        _stop_and_kill(living)
        time.sleep(PAUSE_S)
    return True


def stop_below(root: int, timeout_s: float = 5.0) -> bool:
    """Stop every thread of every descendant, repeatedly, since a fork may escape one pass; return if all are stopped.

    A thread inside a driver's call stops only when that returns.
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


def end_all(timeout_s: float = KILL_TIMEOUT_S) -> dict[int, int] | None:
    """Kill and reap all children of this process, a zygote that adopts orphans.

    Returns:
        pid → exit code (negative for a signal); None if some cannot be killed.
    """
    until, codes = time.monotonic() + timeout_s, {}
    while time.monotonic() < until:
        if os.getpid() == INIT:
            _send(signal.SIGKILL, [EVERYBODY])
        else:
            _stop_and_kill(living_below(os.getpid()))
        try:
            while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                codes[ended[0]] = os.waitstatus_to_exitcode(ended[1])
        except ChildProcessError:
            return codes
        time.sleep(PAUSE_S)
    return None


def has_exited(child: int, timeout_s: float) -> bool:
    """Return whether the child ends by itself within the time; it is not reaped."""
    until = time.monotonic() + timeout_s
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() >= until:
            return False
        time.sleep(0.001)
    return True


def threads_of(user: int) -> int:
    """Return the number of threads of a user, which the kernel compares with the limit on processes."""
    total = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == user:
                total += len(os.listdir(f"/proc/{name}/task"))
    return total


def parent_of(pid: int) -> int | None:
    entry = _entry(str(pid))
    return entry[0] if entry else None


def _stop_and_kill(pids: list[int]) -> None:
    """Kill the processes, all stopped first: those that go on trying to fork would take the places of killed ones."""
    _send(signal.SIGSTOP, pids)
    _send(signal.SIGKILL, pids)


def _send(number: int, pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _descendants(root: int, table: dict[int, tuple[int, str]] | None = None) -> list[int]:
    """Return the pids of all descendants, parents before children."""
    table, found = _table() if table is None else table, [root]
    for pid in found:
        found += [child for child, (parent, _) in table.items() if parent == pid]
    return found[1:]


def _has_thread(pid: int, others: str) -> bool:
    """Return whether any of its threads is in a state not in `others`; the main thread may end before the others."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        entries = [_entry(f"{pid}/task/{thread}") for thread in os.listdir(f"/proc/{pid}/task")]
        return any(entry[1] not in others for entry in entries if entry)
    return False


def _table() -> dict[int, tuple[int, str]]:
    """Return pid → (parent, state letter) of every visible process."""
    entries = ((int(name), _entry(name)) for name in os.listdir("/proc") if name.isdigit())
    return {pid: entry for pid, entry in entries if entry}


def _entry(pid: str) -> tuple[int, str] | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, parent = file.read().rpartition(b")")[2].split()[:2]
    except (OSError, ValueError):  # it has ended in the meantime
        return None
    return int(parent), state.decode()
