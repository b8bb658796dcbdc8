"""Features that the emulated GPU lacks. A candidate that needs one is not judged (unsupported_feature)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class UnsupportedFeature(Exception):
    """The code uses a feature that only a real device or its driver has; the text names it."""


def lacking(feature: str) -> Callable[..., Any]:
    """Return a function that raises UnsupportedFeature."""

    def call(*arguments: object, **options: object) -> Any:
        raise UnsupportedFeature(feature)

    return call
