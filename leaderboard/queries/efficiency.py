"""What the published attempts of a board moved and computed, and in which time."""

from __future__ import annotations

from collections.abc import Collection

from evaluator.tasks.roofline import TimedWork
from runs.models import Result


def work_of(runs: Collection[int], tasks: Collection[int]) -> dict[int, TimedWork]:
    """The sums of each result's published attempt, by the result's id; results without sums are left out."""
    rows = Result.objects.filter(run__in=runs, task__in=tasks, published_attempt__work_ms__isnull=False)
    names = ("id", *(f"published_attempt__{name}" for name in ("work_ms", "work_bytes", "work_flops")))
    return {
        result: TimedWork(time_ms / 1e3, moved, flops) for result, time_ms, moved, flops in rows.values_list(*names)
    }
