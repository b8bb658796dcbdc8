"""Boards that have public runs, of any version and protocol."""

from __future__ import annotations

from typing import NamedTuple

from runs.models import Run


class BoardPlace(NamedTuple):
    suite: str
    version: int
    device: str
    protocol: str


def with_public_runs() -> list[BoardPlace]:
    rows = Run.objects.public().order_by("suite__name", "suite__version", "device_class__slug", "protocol")
    found = rows.values_list("suite__name", "suite__version", "device_class__slug", "protocol").distinct()
    return [BoardPlace(*row) for row in found]
