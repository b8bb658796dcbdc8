"""No secret in a log, in a row or in the archive: every one that this process knows is taken out of a text, and out of
what is said of a fault also whatever looks like one.

Patterns are linear in the text, which may quote what strangers sent.
"""

from __future__ import annotations

import dataclasses
import enum
import os
import re
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from django.conf import settings

T = TypeVar("T")
HIDDEN = "[secret]"
SHORTEST = 8  # a shorter value would be found in words
URLS = ("DATABASE_URL", "BROKER_URL")  # as secret as the password in them
_SECRET_NAME = re.compile(r"SECRET|PASSWORD|TOKEN|KEY|CREDENTIAL")
_NAMES = "|".join(
    (
        *("passw(?:or)?d", "passphrase", "secret", "api[_-]?key", "access[_-]?key", "private[_-]?key", "credential"),
        *("sessionid", "csrf(?:middleware)?token", "otp", "totp", "signature"),
    )
)
_VALUE = r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s,;&)}\]]+)"""
_IS = r"""[\w-]{0,40}["']?[ \t]{0,4}[:=][ \t]{0,4}"""
_PATTERNS = (
    (r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?", HIDDEN),
    (
        r"(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-csrftoken|x-api-key)\b([\"']?\s{0,4}[:=])[^\n]*",
        rf"\1\2 {HIDDEN}",
    ),
    (r"\b([Bb]earer|Basic)\s{1,4}[^\s\"']{8,}", rf"\1 {HIDDEN}"),
    (r"(\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@:]{0,200}:[^\s/@]{1,400}@", rf"\1{HIDDEN}@"),
    (rf"(?i)((?:{_NAMES}){_IS}){_VALUE}", rf"\1{HIDDEN}"),
    (rf"(?i)(token(?!s){_IS})(?!\d{{1,9}}\b){_VALUE}", rf"\1{HIDDEN}"),  # a number is a count or a fencing token
    (r"\b(?:arena_|sk-|gh[pousr]_|xox[abp]-|AKIA)[A-Za-z0-9_-]{16,}", HIDDEN),
    (r"\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]{4,}", HIDDEN),  # a JSON web token
)
_COMPILED = tuple((re.compile(pattern), instead) for pattern, instead in _PATTERNS)


def known_secrets(environment: Mapping[str, str], *values: str) -> tuple[str, ...]:
    """These values and those of variables that are named as secrets are, the longest first.

    Without blanks and line ends around them, as they are used: files of variables add some.
    """
    named = (value for name, value in environment.items() if _SECRET_NAME.search(name.upper()))
    found = {one.strip() for one in (*named, *values)}
    return tuple(sorted((one for one in found if len(one) >= SHORTEST), key=len, reverse=True))


def secrets_of_this_process() -> tuple[str, ...]:
    """The key, passwords of database, broker and mail, the metrics' token, what agents are given, and what the
    environment names as a secret.
    """
    database = str(settings.DATABASES["default"].get("PASSWORD", ""))
    given = (os.environ.get(name, "") for name in settings.AGENT_SECRETS)
    own = (settings.SECRET_KEY, settings.METRICS_TOKEN, settings.EMAIL_HOST_PASSWORD, database)
    return known_secrets(os.environ, *own, *given, *_of_urls(settings.BROKER_URL, *map(os.environ.get, URLS)))


def redacted(text: str, secrets: tuple[str, ...] = ()) -> str:
    text = _without(text, secrets)
    for pattern, instead in _COMPILED:
        text = pattern.sub(instead, text)
    return text


def shown(text: str) -> str:
    """What is said of a fault, as a row may keep it, which pages show to anybody."""
    return redacted(text, secrets_of_this_process())


def without_secrets(value: T) -> T:
    """The same value with no secret of this process in any text: of frozen dataclasses, mappings and tuples.

    What only looks like a secret stays: a log quotes sources, which must be as they were.
    """
    secrets = secrets_of_this_process()
    cleaned: T = _cleaned(value, secrets) if secrets else value
    return cleaned


def _without(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text


def _cleaned(value: Any, secrets: tuple[str, ...]) -> Any:
    if isinstance(value, str) and not isinstance(value, enum.Enum):
        return _without(value, secrets)
    if isinstance(value, Mapping):
        return {name: _cleaned(one, secrets) for name, one in value.items()}
    if isinstance(value, tuple):
        return tuple(_cleaned(one, secrets) for one in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value)]
        return dataclasses.replace(value, **{name: _cleaned(getattr(value, name), secrets) for name in fields})
    return value


def _of_urls(*urls: str | None) -> list[str]:
    """Those that hold a password, and it, as it is written and as it is meant."""
    parts = [(url, urlsplit(url).password) for url in urls if url]
    return [one for url, password in parts if password for one in (url, password, unquote(password))]
