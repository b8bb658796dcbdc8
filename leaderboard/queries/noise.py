"""Calibrations of hosts."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from runs.models import Calibration


class CalibrationRow(NamedTuple):
    host: str
    device: str
    device_title: str
    made_at: datetime
    is_accepted: bool
    figures: dict[str, Any]
    facts: dict[str, Any]


def calibrations(limit: int) -> list[CalibrationRow]:
    """Calibrations by host, newest first."""
    rows = Calibration.objects.order_by("host__name", "-made_at")
    fields = ("host__name", "host__device_class__slug", "host__device_class__title", *CalibrationRow._fields[3:])
    return [CalibrationRow(*row) for row in rows.values_list(*fields)[:limit]]
