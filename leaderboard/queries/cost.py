"""What evaluations took, by configuration and device class."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from django.db.models import Count, DurationField, ExpressionWrapper, F, Sum

from runs.models import Result


class EvaluationRow(NamedTuple):
    """Wall time of the published attempts of public runs, from the claim to the verdict."""

    configuration: str
    agent: str
    model: str | None
    device: str
    answers: int
    took: timedelta


def evaluations() -> list[EvaluationRow]:
    entry = ("run__configuration__slug", "run__configuration__agent__name", "run__configuration__model__name")
    took = F("published_attempt__ended_at") - F("published_attempt__started_at")
    rows = (
        Result.objects.public()
        .filter(published_attempt__started_at__isnull=False)
        .values_list(*entry, "run__device_class__slug")
        .annotate(answers=Count("id"), took=Sum(ExpressionWrapper(took, output_field=DurationField())))
    )
    return [EvaluationRow(*row) for row in rows.order_by(*entry[1:], entry[0], "run__device_class__slug")]
