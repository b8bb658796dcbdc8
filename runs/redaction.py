"""The secrets of this process, and texts without them: logs, rows and the archive hold none."""

from __future__ import annotations

import os
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from django.conf import settings

from evaluator.secrets import known_secrets, redact, remove_secrets

T = TypeVar("T")
URLS = ("DATABASE_URL", "BROKER_URL")  # as secret as the password in them


def secrets_of_this_process() -> tuple[str, ...]:
    """The key, passwords of database, broker and mail, the metrics' token, what agents are given, and what the
    environment names as a secret.
    """
    database = str(settings.DATABASES["default"].get("PASSWORD", ""))
    given = (os.environ.get(name, "") for name in settings.AGENT_SECRETS)
    own = (settings.SECRET_KEY, settings.METRICS_TOKEN, settings.EMAIL_HOST_PASSWORD, database)
    return known_secrets(os.environ, *own, *given, *_of_urls(settings.BROKER_URL, *map(os.environ.get, URLS)))


def shown(text: str) -> str:
    """What is said of a fault, as a row may keep it, which pages show to anybody."""
    return redact(text, secrets_of_this_process())


def without_secrets(value: T) -> T:
    """The same value with no secret of this process in any text, as `remove_secrets` does it."""
    return remove_secrets(value, secrets_of_this_process())


def _of_urls(*urls: str | None) -> list[str]:
    """Those that hold a password, and it, as it is written and as it is meant."""
    parts = [(url, urlsplit(url).password) for url in urls if url]
    return [one for url, password in parts if password for one in (url, password, unquote(password))]
