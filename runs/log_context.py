"""Log context: ids (run, result, attempt, request …) that every log line within `about` carries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

NOTHING: Mapping[str, object] = {}
_ids: ContextVar[Mapping[str, object]] = ContextVar("arena_log_ids", default=NOTHING)


@contextmanager
def about(**ids: object) -> Iterator[None]:
    """Add these ids to every log line of this thread (or task) until the block ends."""
    before = _ids.set({**_ids.get(), **ids})
    try:
        yield
    finally:
        _ids.reset(before)


def also(**ids: object) -> None:
    """Add these ids until the surrounding `about` ends."""
    _ids.set({**_ids.get(), **ids})


def current_ids() -> Mapping[str, object]:
    return _ids.get()
