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

_PLAIN = frozenset((str, int, bool, type(None)))


def encode(value: Any) -> Any:
    """JSON values: dataclasses and named tuples become objects, times become ISO 8601 in UTC.

    Raises:
        ValueError: a number is not finite.
    """
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    if (names := data_names(kind)) is not None:
        items = value if isinstance(value, tuple) else [getattr(value, name) for name in names]
        # Most values are plain, and a call for each would take half of the time of a board's JSON.
        return {
            name: item if (of := type(item)) in _PLAIN or (of is float and math.isfinite(item)) else encode(item)
            for name, item in zip(names, items, strict=True)
        }
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
def data_names(kind: Any) -> tuple[str, ...] | None:
    """The fields of a dataclass or named tuple that are data; None for other types.

    Cached, as the JSON of a leaderboard needs them thousands of times.
    """
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind) if not field.metadata.get("screen"))
    return kind._fields if issubclass(kind, tuple) and hasattr(kind, "_fields") else None
