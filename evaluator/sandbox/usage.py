"""What the processes of a sandbox use together, read from /proc by the judge."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

TICKS_PER_S, PAGE_BYTES = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
KIB = 1024


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """One process: its threads (1 if it has ended and nobody waited for it), processor time with that of the children
    it waited for, and resident memory, of which it may share a part."""

    pid: int
    threads: int
    cpu_s: float
    resident_bytes: int


def usage_below(root: int) -> list[ProcessUsage]:
    """Return the usage of all descendants of a process, without those that end while it reads."""
    return [usage for usage in map(_usage, _descendants(root)) if usage is not None]


def memory_of(usages: Iterable[ProcessUsage]) -> int:
    """Return the bytes of memory and swap that the processes hold together, each shared page counted once.

    A process that denies access to its memory map counts with all its resident memory.
    """
    return sum(_proportional_bytes(usage) for usage in usages)


def _descendants(root: int) -> Iterator[int]:
    waiting = [root]
    while waiting:
        children = _children(waiting.pop())
        yield from children
        waiting += children


def _children(pid: int) -> list[int]:
    """Return the children that any thread of the process has."""
    found = list[int]()
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_bytes().split())
    except OSError:  # it has ended in the meantime
        return found
    return found


def _usage(pid: int) -> ProcessUsage | None:
    try:
        words = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    ticks = sum(map(int, words[11:15]))
    return ProcessUsage(pid, max(1, int(words[17])), ticks / TICKS_PER_S, int(words[21]) * PAGE_BYTES)


def _proportional_bytes(usage: ProcessUsage) -> int:
    try:
        lines = Path(f"/proc/{usage.pid}/smaps_rollup").read_bytes().splitlines()
    except OSError:
        return usage.resident_bytes
    return sum(int(line.split()[1]) * KIB for line in lines if line.startswith((b"Pss:", b"SwapPss:")))
