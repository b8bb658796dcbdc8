"""Settings from the environment and .env. An odd value is refused by the name of its variable, never guessed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
SECRET_CHARACTERS = 32  # fewer can be guessed
_LINE = re.compile(r"^(?:export\s+)?([A-Z][A-Z0-9_]*)=(.*)$")


class SettingError(Exception):
    """A variable holds what cannot be meant; the message names it."""


def load_env_file(path: Path) -> None:
    """Take KEY=VALUE lines as defaults: what the environment says wins. A file that is not there is empty.

    Raises:
        SettingError: a line is neither empty, a comment nor KEY=VALUE.
    """
    if not path.is_file():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.match(line.strip())
        if match is None:
            raise SettingError(f"{path.name}, line {number}: expected NAME=VALUE, seen {line.partition('=')[0]!r}")
        os.environ.setdefault(match[1], _unquoted(match[2].strip()))


def env_text(name: str, default: str) -> str:
    return os.environ.get(name, "").strip() or default


def env_bool(name: str, default: bool) -> bool:
    value = env_text(name, str(default)).lower()
    if value not in TRUE + FALSE:
        raise SettingError(f"{name}: seen {value!r}; expected one of {', '.join(TRUE + FALSE)}")
    return value in TRUE


def env_int(name: str, default: int, *, low: int, high: int) -> int:
    value = env_text(name, str(default))
    if not re.fullmatch(r"-?[0-9]{1,18}", value) or not low <= int(value) <= high:
        raise SettingError(f"{name}: seen {value!r}; expected a whole number from {low} to {high}")
    return int(value)


def env_list(name: str, default: tuple[str, ...]) -> list[str]:
    """Values parted by commas."""
    values = [value.strip() for value in env_text(name, ",".join(default)).split(",")]
    if not all(values):
        raise SettingError(f"{name}: an empty value between commas")
    return values


def env_path(name: str, default: Path) -> Path:
    path = Path(env_text(name, str(default))).expanduser()
    if not path.is_absolute():
        raise SettingError(f"{name}: seen {str(path)!r}; expected an absolute path")
    return path


def env_secret(name: str) -> str:
    """A secret has no default; its value is never part of a message."""
    value = env_text(name, "")
    if not value:
        raise SettingError(f"{name}: missing; `make up` writes one to .env")
    if len(value) < SECRET_CHARACTERS or len(set(value)) < 8:
        raise SettingError(f"{name}: expected at least {SECRET_CHARACTERS} characters that cannot be guessed")
    return value


def env_database(name: str, default: Path) -> dict[str, object]:
    """postgresql://user:password@host:port/name or sqlite:////absolute/path; nothing: the default SQLite file."""
    url = env_text(name, f"sqlite:///{default}")
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return sqlite(_sqlite_path(name, parts.path, bool(parts.netloc)))
    if parts.scheme not in ("postgresql", "postgres") or not parts.path.strip("/"):
        shown = parts.scheme or "no scheme"  # never the URL: it may hold a password
        raise SettingError(
            f"{name}: seen {shown}; expected postgresql://USER:PASSWORD@HOST:PORT/NAME or sqlite:////PATH"
        )
    try:
        port = parts.port
    except ValueError as error:
        raise SettingError(f"{name}: the port is not a number from 1 to 65535") from error
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def sqlite(path: Path) -> dict[str, object]:
    """WAL: pages are read while a worker writes. IMMEDIATE: two writers wait for each other instead of failing.

    Opening the file took more than half of a kept page's time, so a thread keeps it open.
    """
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "CONN_MAX_AGE": 60,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }


def _sqlite_path(name: str, path: str, has_host: bool) -> Path:
    if has_host or not path.startswith("/") or len(path) < 2:
        raise SettingError(f"{name}: expected sqlite:////ABSOLUTE/PATH")
    return Path("/" + unquote(path).lstrip("/"))


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'" else value
