"""Settings from the environment and .env. An odd value is refused by the name of its variable, never guessed.

Each function below notes what it read in `READ`, which deploy/SETTINGS.md is compared with, and what is wrong with it;
`refuse_problems` then tells everything at once.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
SECRET_CHARACTERS = 32  # fewer can be guessed
SECRET = f"at least {SECRET_CHARACTERS} characters that cannot be guessed"
DATABASE = "postgresql://USER:PASSWORD@HOST:PORT/NAME or sqlite:////ABSOLUTE/PATH"
_LINE = re.compile(r"^(?:export\s+)?([A-Z][A-Z0-9_]*)=(.*)$")


class SettingError(Exception):
    """Variables hold what cannot be meant; the message names each, one a line."""


@dataclass(frozen=True, slots=True)
class Variable:
    """What is taken where nothing is said, and what may be said."""

    default: str
    allowed: str


OURS = "ARENA_"  # names that begin so are nobody else's, and one that nothing reads is a mistake
ELSEWHERE = {  # read by what is no part of the site: the evaluator, its agents, the tests
    *("ARENA_CHAT_KEY", "ARENA_REPEATS"),
    *("ARENA_CHAOS", "ARENA_FAKE_SECONDS", "ARENA_FUZZ_EXAMPLES", "ARENA_SHOTS"),
}
ALIKE = 0.85  # of 1: names in .env that are so near to one of ours are meant to be it
READ: dict[str, Variable] = {}
_in_file: set[str] = set()
_problems: list[str] = []
T = TypeVar("T")


def load_env_file(path: Path) -> None:
    """Take KEY=VALUE lines as defaults: what the environment says wins. A file that is not there is empty."""
    if not path.is_file():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.match(line.strip())
        if match is None:  # the value is not told: it may be a secret
            seen = line.partition("=")[0]
            _problems.append(f"{path.name}, line {number}: expected NAME=VALUE, seen {seen!r}")
        else:
            _in_file.add(match[1])
            os.environ.setdefault(match[1], _unquoted(match[2].strip()))


def note_unknown() -> None:
    """After all were read: a name that looks like a setting and is none would be ignored in silence."""
    known = sorted({*READ, *ELSEWHERE})
    for name in sorted(({*os.environ} | _in_file) - {*known}):
        is_ours = name.startswith(OURS)
        near = get_close_matches(name, known, 1, 0.0 if is_ours else ALIKE)
        if is_ours or (name in _in_file and near):
            _problems.append(f"{name}: no setting has that name; did you mean {near[0]}?")


def refuse_problems() -> None:
    """
    Raises:
        SettingError: with everything that was odd since the last call.
    """
    found, _problems[:] = _problems[:], []
    if found:
        raise SettingError("\n".join(found))


def env_text(name: str, default: str, *, pattern: str = ".*", allowed: str = "any text") -> str:
    value = _value(name, default, allowed)
    return value if re.fullmatch(pattern, value) else _refused(name, value, default)


def env_choice(name: str, *choices: str) -> str:
    """One of some words, the first where nothing is said."""
    value = _value(name, choices[0], ", ".join(choices))
    return value if value in choices else _refused(name, value, choices[0])


def env_bool(name: str, default: bool) -> bool:
    value = _value(name, TRUE[3] if default else FALSE[3], ", ".join(TRUE + FALSE)).lower()
    return value in TRUE if value in TRUE + FALSE else _refused(name, value, default)


def env_int(name: str, default: int, *, low: int, high: int) -> int:
    value = _value(name, str(default), f"a whole number from {low} to {high}")
    is_number = re.fullmatch(r"-?[0-9]{1,18}", value) is not None
    return int(value) if is_number and low <= int(value) <= high else _refused(name, value, default)


def env_amount(name: str) -> float | None:
    """A sum of money; None where nothing is said."""
    value = _value(name, "", "US dollars, as 12 or 12.50")
    if not value:
        return None
    return float(value) if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,2})?", value) else _refused(name, value, None)


def env_list(name: str, default: tuple[str, ...]) -> list[str]:
    """Values parted by commas."""
    text = _value(name, ",".join(default), "values parted by commas, none empty")
    values = [value.strip() for value in text.split(",")]
    return values if all(values) else _refused(name, text, list(default))


def env_path(name: str, default: Path) -> Path:
    path = Path(_value(name, str(default), "an absolute path")).expanduser()
    return path if path.is_absolute() else _refused(name, str(path), default)


def env_url(name: str, default: str, *schemes: str) -> str:
    """A URL of one of these schemes; of an odd one only the scheme is told, since it may hold a password."""
    value = _value(name, default, " or ".join(f"{scheme}://…" for scheme in schemes))
    parts = _split(value)
    is_fine = parts is not None and parts.scheme in schemes and bool(parts.netloc)
    return value if is_fine else _refused(name, f"{parts.scheme if parts else ''}:…", default)


def env_secret(name: str, *, needed: bool = True) -> str:
    """A secret has no default; its value is never part of a message."""
    value = _value(name, "", SECRET)
    if not value and needed:
        _problems.append(f"{name}: missing; expected {SECRET}. `make up` writes one to .env")
    if value and (len(value) < SECRET_CHARACTERS or len(set(value)) < 8):
        _problems.append(f"{name}: expected {SECRET}")
    return value


def env_database(name: str, default: Path) -> dict[str, object]:
    """postgresql://user:password@host:port/name or sqlite:////absolute/path; nothing: the default SQLite file."""
    parts = _split(_value(name, f"sqlite:///{default}", DATABASE))
    if parts is not None and parts.scheme == "sqlite" and not parts.netloc and len(parts.path) > 1:
        return sqlite(Path("/" + unquote(parts.path).lstrip("/")))
    if parts is None or parts.scheme not in ("postgresql", "postgres") or not parts.path.strip("/"):
        return _refused(name, f"{parts.scheme if parts else ''}:…", sqlite(default))  # the URL may hold a password
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def sqlite(path: Path) -> dict[str, object]:
    """WAL: pages are read while a worker writes. IMMEDIATE: two writers wait for each other instead of failing.

    Opening the file took more than half of a kept page's time, so a thread keeps it open. RECURSIVE_TRIGGERS: REPLACE
    removes rows, and what refuses that (runs/guards.py) hears of it.
    """
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "CONN_MAX_AGE": 60,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA recursive_triggers=ON;",
        },
    }


def _value(name: str, default: str, allowed: str) -> str:
    READ[name] = Variable(default, allowed)
    return os.environ.get(name, "").strip() or default


def _split(url: str) -> SplitResult | None:
    """None: it is no URL, or its port is no number from 0 to 65535."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _refused(name: str, seen: str, instead: T) -> T:
    """Note the problem; with the default in the value's place the others can be read, too."""
    _problems.append(f"{name}: seen {seen!r}; expected {READ[name].allowed}")
    return instead


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'" else value
