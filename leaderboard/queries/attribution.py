"""What the attribution page asks besides the board: the static proxies of the references."""

from __future__ import annotations

from runs.models import Task


def proxies(suite_id: int) -> dict[int, dict[str, int]]:
    """Task id → the counts over its reference, for the tasks of a suite that have any."""
    rows = Task.objects.filter(suites=suite_id).values_list("id", "proxies")
    return {task: counts for task, counts in rows if counts}
