"""Code quality of a board's correct results."""

from __future__ import annotations

from typing import Any

from runs.models import Result


def of_board(suite_id: int, device_slug: str, protocol: str) -> dict[int, dict[str, Any] | None]:
    """What is stored of each correct public result, by the result's id; None: not measured yet."""
    rows = Result.objects.public().filter(
        run__suite=suite_id,
        run__device_class__slug=device_slug,
        run__protocol=protocol,
        published_attempt__correct=True,
    )
    return dict(rows.values_list("id", "code_quality"))
