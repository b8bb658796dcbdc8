"""Takes the secrets of this process, and this host's folders, out of texts before they reach a row or the archive."""

from __future__ import annotations

import os
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from django.conf import settings

from evaluator.host_paths import without_host_paths
from evaluator.secrets import known_secrets, redact, remove_secrets

T = TypeVar("T")
URLS = ("DATABASE_URL", "BROKER_URL")  # they may hold a password


def secrets_of_this_process() -> tuple[str, ...]:
    """Return the secret key, the passwords of database, broker and mail, the metrics token, secrets that agents may be
    given, and every environment variable named like a secret.
    """
    database = str(settings.DATABASES["default"].get("PASSWORD", ""))
    given = (os.environ.get(name, "") for name in settings.AGENT_SECRETS)
    own = (settings.SECRET_KEY, settings.METRICS_TOKEN, settings.EMAIL_HOST_PASSWORD, database)
    return known_secrets(os.environ, *own, *given, *_of_urls(settings.BROKER_URL, *map(os.environ.get, URLS)))


def redacted(text: str) -> str:
    """Return a message about a fault as it may be stored in a row and shown to anybody: no secret, no host folder."""
    return without_host_paths(redact(text, secrets_of_this_process()))


def without_secrets(value: T) -> T:
    """Return a copy of the value without any secret of this process, as `remove_secrets` makes it."""
    return remove_secrets(value, secrets_of_this_process())


def _of_urls(*urls: str | None) -> list[str]:
    """Return each URL that holds a password, and the password both as written and percent-decoded."""
    parts = [(url, urlsplit(url).password) for url in urls if url]
    return [one for url, password in parts if password for one in (url, password, unquote(password))]
