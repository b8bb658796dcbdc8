"""Task lists of other benchmarks, which are the denominators of their results; the files have one task a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

KERNELBENCH_LEVELS: Mapping[str, int] = {"1": 100, "2": 100, "3": 50, "4": 20}


@cache
def tasks_of(suite: str) -> Mapping[str, int | None]:
    """The tasks of the suite `arena-paper-196` or `kernelbenchx-176`, each with its number of cases if listed."""
    lines = (Path(__file__).parent / f"{suite}.txt").read_text(encoding="utf-8").splitlines()
    found = dict[str, int | None]()
    for line in lines:
        if line and not line.startswith("#"):
            name, _, cases = line.partition(" ")
            found[name] = int(cases) if cases else None
    return found


def kernelbench_tasks(level: str) -> tuple[str, ...]:
    """The task names of a KernelBench level, such as `level3/1` … `level3/50`; empty for an unknown level."""
    return tuple(f"level{level}/{number}" for number in range(1, KERNELBENCH_LEVELS.get(level, 0) + 1))


def kernelbench_suite(levels: Sequence[str]) -> str | None:
    """The name of the tasks of these levels as a suite, such as `kernelbench-level3`; None for no level."""
    return f"kernelbench-level{'-'.join(levels)}" if levels else None
