"""What our stand-ins for a GPU lack: not_judged/unsupported_feature, our limit and not the candidate's fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class UnsupportedFeature(Exception):
    """The code asks for something that only a real device or its driver can do; the text names it."""


def lacking(feature: str) -> Callable[..., Any]:
    """A function that says what is not to be had here."""

    def call(*arguments: object, **options: object) -> Any:
        raise UnsupportedFeature(feature)

    return call
