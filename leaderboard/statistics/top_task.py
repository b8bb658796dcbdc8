"""The task with the largest part of a sum of speedups: what stands beside every arithmetic mean of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum


@dataclass(frozen=True, slots=True)
class TopTask:
    task: str
    share: float  # of the sum over all tasks


def top_task(speedups: Iterable[tuple[str, float]]) -> TopTask | None:
    """From task and speedup of each answer, a task's together; of equal ones the first. None where there is nothing."""
    found: dict[str, list[float]] = defaultdict(list)
    for task, speedup in speedups:
        found[task].append(speedup)
    sums = {task: fsum(own) for task, own in found.items()}
    total = fsum(sums.values())
    if total <= 0:
        return None
    largest = max(sums, key=sums.__getitem__)
    return TopTask(largest, sums[largest] / total)
