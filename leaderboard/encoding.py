"""Page objects as plain JSON values, without what is only for the screen."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any

SCREEN = {"screen": True}  # metadata of a field that is not data, such as a table, a chart or a heading


def encode(value: Any) -> Any:
    """JSON values: dataclasses and named tuples become objects, times become ISO 8601 in UTC.

    Raises:
        ValueError: a number is not finite.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: encode(getattr(value, field.name)) for field in data_fields(type(value))}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return encode(value._asdict())
    if isinstance(value, Enum):
        return encode(value.value)
    if isinstance(value, Mapping):
        named = sorted(((str(key), item) for key, item in value.items()), key=lambda pair: pair[0])
        return {name: encode(item) for name, item in named}  # sorted, as PostgreSQL keeps no order
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not a JSON number")
    return value


@cache
def data_fields(kind: Any) -> tuple[dataclasses.Field[Any], ...]:
    """The fields that are data. Cached, as the JSON of a leaderboard needs them thousands of times."""
    return tuple(field for field in dataclasses.fields(kind) if not field.metadata.get("screen"))
