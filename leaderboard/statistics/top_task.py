"""The task with the largest share of a sum of speedups, which is shown beside every arithmetic mean."""

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
    """Task with the largest sum, from pairs of task and speedup; the first of equals. None where the total is 0."""
    found: dict[str, list[float]] = defaultdict(list)
    for task, speedup in speedups:
        found[task].append(speedup)
    sums = {task: fsum(own) for task, own in found.items()}
    total = fsum(sums.values())
    if total <= 0:
        return None
    largest = max(sums, key=sums.__getitem__)
    return TopTask(largest, sums[largest] / total)
