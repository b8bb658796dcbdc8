"""Lines of the log: for people, or as JSON (ARENA_LOG=json). Each carries what it is about, and none a secret."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

from evaluator.secrets import redact
from runs.log_context import current_ids
from runs.redaction import secrets_of_this_process

MOST_CHARACTERS = 20_000  # of one line; what a candidate prints is kept elsewhere


def logging_settings(form: str, level: str) -> dict[str, Any]:
    """For Django's LOGGING, and for gunicorn, whose own lines then look the same."""
    formatter = {"text": "arena_site.monitoring.logs.TextLines", "json": "arena_site.monitoring.logs.JsonLines"}[form]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": formatter}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # An answer of 4xx or 5xx has its line in arena.request; a fault has a second one, with its trace.
            "django.request": {"level": "ERROR"},
        },
    }


class TextLines(logging.Formatter):
    """2026-11-28T13:08:01.123Z WARNING runs.worker.sweeper: a sentence [run=3 result=14]"""

    def __init__(self) -> None:
        super().__init__()
        self._secrets = secrets_of_this_process()

    def format(self, record: logging.LogRecord) -> str:
        ids = _ids_of(record)
        about = f" [{' '.join(f'{name}={value}' for name, value in ids.items())}]" if ids else ""
        line = f"{_moment(record)} {record.levelname} {record.name}: {record.getMessage()}{about}"
        trace = self._trace_of(record)
        return self._told(f"{line}\n{trace}" if trace else line)

    def _told(self, text: str) -> str:
        """A secret that the first cut halves is within what the second takes away."""
        return redact(text[: 2 * MOST_CHARACTERS], self._secrets)[:MOST_CHARACTERS]

    def _trace_of(self, record: logging.LogRecord) -> str:
        return self.formatException(record.exc_info) if record.exc_info and record.exc_info[0] else ""


class JsonLines(TextLines):
    """One object a line: at, level, logger, message, the ids, and the trace of a fault."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {"at": _moment(record), "level": record.levelname, "logger": record.name}
        line["message"] = self._told(record.getMessage())
        line |= {
            name: self._told(value) if isinstance(value, str) else value for name, value in _ids_of(record).items()
        }
        if trace := self._trace_of(record):
            line["trace"] = self._told(trace)
        return json.dumps(line, ensure_ascii=False, default=str)


def _ids_of(record: logging.LogRecord) -> dict[str, object]:
    """Of what is going on, and what this line alone says with `extra={"ids": {…}}`."""
    return {**current_ids(), **getattr(record, "ids", {})}


def _moment(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
