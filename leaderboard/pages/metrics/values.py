"""What the metrics page says of one metric."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    slug: str
    name: str
    formula: str
    means: str
    refused: str
