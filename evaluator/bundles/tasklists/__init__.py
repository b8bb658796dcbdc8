"""Task lists of other benchmarks, which are the denominators of their results; the files have one task a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

KERNELBENCH_LEVELS: Mapping[str, int] = {"1": 100, "2": 100, "3": 50, "4": 20}
ARENA = "arena-paper-196"


class OperatorType(NamedTuple):
    """The operator type of a task of AgentKernelArena, in a word of its paper's table of all tasks."""

    name: str
    is_printed: bool  # False: the table does not name the task, so the type is ours


@cache
def tasks_of(suite: str) -> Mapping[str, int | None]:
    """The tasks of the suite `arena-paper-196` or `kernelbenchx-176`, each with its number of cases if listed."""
    return {name: int(rest) if rest.isdigit() else None for name, rest in _lines(suite)}


@cache
def arena_operator_types() -> Mapping[str, OperatorType]:
    """The operator type of each task of AgentKernelArena's paper."""
    return {name: OperatorType(rest.removeprefix("~"), not rest.startswith("~")) for name, rest in _lines(ARENA)}


def kernelbench_tasks(level: str) -> tuple[str, ...]:
    """The task names of a KernelBench level, such as `level3/1` … `level3/50`; empty for an unknown level."""
    return tuple(f"level{level}/{number}" for number in range(1, KERNELBENCH_LEVELS.get(level, 0) + 1))


def kernelbench_suite(levels: Sequence[str]) -> str | None:
    """The name of the tasks of these levels as a suite, such as `kernelbench-level3`; None for no level."""
    return f"kernelbench-level{'-'.join(levels)}" if levels else None


def _lines(suite: str) -> Iterator[tuple[str, str]]:
    """Each task, with what follows it on its line."""
    for line in (Path(__file__).parent / f"{suite}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition(" ")
            yield name, rest
