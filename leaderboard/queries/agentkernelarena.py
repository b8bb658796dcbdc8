"""Our tasks after those of AgentKernelArena."""

from __future__ import annotations

from typing import NamedTuple

from runs.models import Task

BENCHMARK = "AgentKernelArena"  # as provenance has it
SOURCE = "arena"  # of our tasks after it


class CounterpartRow(NamedTuple):
    path: str
    name: str
    category: str
    source: str
    provenance: dict[str, str]


def counterparts() -> list[CounterpartRow]:
    """Every current task after one of the benchmark's, by path."""
    rows = Task.objects.filter(is_current=True, provenance__benchmark=BENCHMARK).order_by("path")
    return [CounterpartRow(*row) for row in rows.values_list(*CounterpartRow._fields)]
