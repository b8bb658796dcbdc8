"""Fills the sums of work of attempts whose verdict was stored before their task's model was known."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from runs import verdicts
from runs.models import Attempt, Measurement

BATCH = 500  # attempts, of a few dozen cases each


def fill_work() -> int:
    """Compute them from the stored measurements, as a new verdict has them; return how many attempts have them now.

    Only attempts are looked at that have none and could have: passed, with an eligible case. An attempt at a version of
    a task from before its model was stored has none: the version is no longer in tasks/.
    """
    eligible = Measurement.objects.filter(attempt=OuterRef("pk"), is_eligible=True)
    waiting = (
        Attempt.objects.filter(status=Attempt.Status.PASSED, work_ms__isnull=True)
        .exclude(result__task__work={})
        .filter(Exists(eligible))
        .order_by("pk")
    )
    keys, filled = list(waiting.values_list("pk", flat=True)), 0
    for start in range(0, len(keys), BATCH):
        filled += sum(map(_fill, _with_cases(keys[start : start + BATCH])))
    return filled


def _with_cases(keys: list[int]) -> list[Attempt]:
    rows = Attempt.objects.filter(pk__in=keys).select_related("result__task")
    return list(rows.prefetch_related("measurements"))


def _fill(attempt: Attempt) -> int:
    columns = verdicts.work_columns(list(attempt.measurements.all()), attempt.result.task.work)
    if columns["work_ms"] is None:
        return 0
    return Attempt.objects.filter(pk=attempt.pk, work_ms__isnull=True).update(**columns)
