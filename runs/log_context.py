"""What the lines of a log are about: ids that every line written within `about` carries, whoever writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

NOTHING: Mapping[str, object] = {}
_ids: ContextVar[Mapping[str, object]] = ContextVar("arena_log_ids", default=NOTHING)


@contextmanager
def about(**ids: object) -> Iterator[None]:
    """Within it, in this thread, lines carry these ids beside those around it: run, result, attempt, request …"""
    before = _ids.set({**_ids.get(), **ids})
    try:
        yield
    finally:
        _ids.reset(before)


def also(**ids: object) -> None:
    """From here to the end of the `about` around it."""
    _ids.set({**_ids.get(), **ids})


def current_ids() -> Mapping[str, object]:
    return _ids.get()
