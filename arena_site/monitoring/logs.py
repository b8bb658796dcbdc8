"""Log formatters, as text or JSON (ARENA_LOG). Lines have the ids of what they are about; secrets are redacted."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

from evaluator.secrets import redact
from runs.log_context import current_ids
from runs.redaction import secrets_of_this_process

MOST_CHARACTERS = 20_000  # per line


def logging_settings(form: str, level: str) -> dict[str, Any]:
    """Return the logging configuration, for Django and gunicorn."""
    formatter = {"text": "arena_site.monitoring.logs.TextLines", "json": "arena_site.monitoring.logs.JsonLines"}[form]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": formatter}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Responses of 4xx and 5xx are logged by arena.request; exceptions also here, with their traceback.
            "django.request": {"level": "ERROR"},
        },
    }


class TextLines(logging.Formatter):
    """Formats a line as 2026-11-28T13:08:01.123Z WARNING runs.worker.sweeper: message [run=3 result=14]."""

    def __init__(self) -> None:
        super().__init__()
        self._secrets = secrets_of_this_process()

    def format(self, record: logging.LogRecord) -> str:
        ids = _ids_of(record)
        about = f" [{' '.join(f'{name}={value}' for name, value in ids.items())}]" if ids else ""
        line = f"{_moment(record)} {record.levelname} {record.name}: {record.getMessage()}{about}"
        trace = self._trace_of(record)
        return self._redacted(f"{line}\n{trace}" if trace else line)

    def _redacted(self, text: str) -> str:
        """Redact and cut the text. The first cut may split a secret, but only in the part that the second removes."""
        return redact(text[: 2 * MOST_CHARACTERS], self._secrets)[:MOST_CHARACTERS]

    def _trace_of(self, record: logging.LogRecord) -> str:
        return self.formatException(record.exc_info) if record.exc_info and record.exc_info[0] else ""


class JsonLines(TextLines):
    """Formats a JSON object per line: at, level, logger, message, the ids, and the trace of an exception."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {"at": _moment(record), "level": record.levelname, "logger": record.name}
        line["message"] = self._redacted(record.getMessage())
        line |= {
            name: self._redacted(value) if isinstance(value, str) else value for name, value in _ids_of(record).items()
        }
        if trace := self._trace_of(record):
            line["trace"] = self._redacted(trace)
        return json.dumps(line, ensure_ascii=False, default=str)


def _ids_of(record: logging.LogRecord) -> dict[str, object]:
    """Return the ids of the current context, and those of this line from `extra={"ids": {…}}`."""
    return {**current_ids(), **getattr(record, "ids", {})}


def _moment(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
