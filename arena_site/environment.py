"""Settings from the environment and from `.env`. An odd value is refused by the name of its variable, never guessed.

Each method of `Environment` reads one variable, lists it in `read`, which docs/settings.md is compared with, and
notes what is wrong with it. `raise_problems` raises all of that at once; until then a refused value counts as its
default.

No library does this. environs 15 with dj-database-url was tried, and all that it would have saved is the list of
problems. It refuses an empty variable instead of taking the default; a refused value becomes None, which breaks what
settings.py makes of it before the other problems are known; its messages do not say what was seen. It accepts `8_0` as
a number, `1e3` as money, `A,,B` as a list, `sslmode` twice, and any database, host, path and option in a URL. It skips
lines of `.env` that it cannot read, expands `${NAME}` in passwords there, and does not notice misspelt names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, MutableMapping
from dataclasses import dataclass
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from typing import TypeVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from evaluator.addresses import AllowedEndpoint, origin_of

PREFIX = "ARENA_"  # names that begin so are nobody else's, and one that nothing reads is a mistake
READ_ELSEWHERE = {  # by what is no part of the site: the evaluator, its agents, the tests
    *("ARENA_CHAT_KEY", "ARENA_REPEATS"),
    *("ARENA_CHAOS", "ARENA_FAKE_SECONDS", "ARENA_FUZZ_EXAMPLES", "ARENA_SHOTS"),
}
DEFAULT_AGENT_SECRETS = (  # that agents of ours are given: `secrets` of each agent.yaml
    *("ANTHROPIC_API_KEY", "ARENA_CHAT_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "CODEX_API_KEY", "CURSOR_API_KEY"),
    "OPENAI_API_KEY",
)

INWARD = "inward"  # a server on this machine or in a private network
TRUE, FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
SECRET_CHARACTERS = 32  # fewer can be guessed
SECRET = f"at least {SECRET_CHARACTERS} characters that cannot be guessed"
DATABASE = (
    "postgresql://USER:PASSWORD@HOST:PORT/NAME, with ?sslmode=…&sslrootcert=… where TLS is wanted,"
    " or sqlite:////ABSOLUTE/PATH"
)
BROKER = "filesystem://localhost or redis://:PASSWORD@HOST:PORT/NUMBER or rediss://…, which takes ?ssl_…"
NOTHING_NAMED: Mapping[str, Collection[str]] = {}

_LINE = re.compile(r"^(?:export\s+)?([A-Z][A-Z0-9_]*)=(.*)$")
_SIMILARITY = 0.85  # of 1: a name in .env that is so near to one of ours was meant to be it
_DATABASE_TLS = {"sslmode": r"disable|allow|prefer|require|verify-ca|verify-full", "sslrootcert": r"/.+|system"}
_LABEL = r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)"
_HOST = re.compile(rf"(?:{_LABEL}\.){{0,30}}(?![0-9]+\Z){_LABEL}")
T = TypeVar("T")


class SettingError(Exception):
    """Raised for odd variables; the message names each, one a line."""


@dataclass(frozen=True, slots=True)
class Variable:
    """What an empty or missing variable counts as, and which values are allowed: both as texts for people."""

    default: str
    allowed: str


HERE = ("localhost", "127.0.0.1", "[::1]")  # names of this machine, which nobody else can use


def likely_origin(hosts: Collection[str], port: int, *, https: bool) -> str:
    """Scheme, host and port under which a site is probably reached: by its first name that others can use, if any.

    A proxy that speaks TLS is reached without a port.
    """
    outside = [host for host in hosts if host not in HERE and not host.startswith(".")]
    host = outside[0] if outside else "localhost"
    return f"https://{host}" if https and outside else f"http://{host}:{port}"


class Environment:
    """The variables of this process, or those given, with what was read of them and what is wrong with it.

    An empty variable counts as a missing one.
    """

    def __init__(self, variables: MutableMapping[str, str] | None = None) -> None:
        self.read: dict[str, Variable] = {}
        self._variables = os.environ if variables is None else variables
        self._in_file: set[str] = set()
        self._problems: list[str] = []

    def load_file(self, path: Path) -> None:
        """Add the NAME=VALUE lines of a file; a variable that is set already wins. A missing file counts as empty."""
        if not path.is_file():
            return
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            match = _LINE.match(line.strip())
            if match is None:  # without the value, which may be a secret
                seen = line.partition("=")[0]
                self._problems.append(f"{path.name}, line {number}: expected NAME=VALUE, seen {seen!r}")
            else:
                self._in_file.add(match[1])
                self._variables.setdefault(match[1], _unquoted(match[2].strip()))

    def refuse_unknown_names(self, named: Mapping[str, Collection[str]] = NOTHING_NAMED) -> None:
        """Note names that look like settings and are none, which would be ignored in silence. Called after all reading.

        `named`: by setting, the variables that it names. A setting among them is refused, too: whoever is given those
        variables would be given the site's secrets.
        """
        for setting, names in named.items():
            if settings := [name for name in names if name in self.read]:
                self._refused(setting, ",".join(settings), None)
        known = sorted({*self.read, *READ_ELSEWHERE, *(name for names in named.values() for name in names)})
        for name in sorted(({*self._variables} | self._in_file) - {*known}):
            is_ours = name.startswith(PREFIX)
            near = get_close_matches(name, known, 1, 0.0 if is_ours else _SIMILARITY)
            if is_ours or (name in self._in_file and near):
                self._problems.append(f"{name}: no setting has that name; did you mean {near[0]}?")

    def raise_problems(self) -> None:
        """
        Raises:
            SettingError: with every problem since the last call, if there is any.
        """
        problems, self._problems = self._problems, []
        if problems:
            raise SettingError("\n".join(problems))

    # --- words, numbers, paths -----------------------------------------------------------------------------------

    def text(self, name: str, default: str, *, pattern: str = ".*", allowed: str = "any text") -> str:
        value = self._value(name, default, allowed)
        return value if re.fullmatch(pattern, value) else self._refused(name, value, default)

    def choice(self, name: str, *choices: str) -> str:
        """One of some words; the first is the default."""
        value = self._value(name, choices[0], ", ".join(choices))
        return value if value in choices else self._refused(name, value, choices[0])

    def boolean(self, name: str, default: bool) -> bool:
        value = self._value(name, "on" if default else "off", ", ".join(TRUE + FALSE))
        return value.lower() in TRUE if value.lower() in TRUE + FALSE else self._refused(name, value, default)

    def integer(self, name: str, default: int, *, low: int, high: int) -> int:
        value = self._value(name, str(default), f"a whole number from {low} to {high}")
        is_number = re.fullmatch(r"-?[0-9]{1,18}", value) is not None
        return int(value) if is_number and low <= int(value) <= high else self._refused(name, value, default)

    def dollars(self, name: str) -> float | None:
        value = self._value(name, "", "US dollars, as 12 or 12.50")
        if not value:
            return None
        return float(value) if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,2})?", value) else self._refused(name, value, None)

    def secret(self, name: str, *, needed: bool = True) -> str:
        """A secret, or "" if it is missing and not needed. It has no default, and no message ever shows it."""
        value = self._value(name, "", SECRET)
        if not value and needed:
            self._problems.append(f"{name}: missing; expected {SECRET}. `make up` writes one to .env")
        if value and (len(value) < SECRET_CHARACTERS or len(set(value)) < 8):
            self._problems.append(f"{name}: expected {SECRET}")
        return value

    def variable_names(self, name: str, default: tuple[str, ...]) -> list[str]:
        """Names of other variables. That none is a setting is left to `refuse_unknown_names`."""
        text = self._value(name, ",".join(default), "names of variables separated by commas, none a setting")
        names = [one.strip() for one in text.split(",")]
        is_fine = all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", one) for one in names)
        return names if is_fine else self._refused(name, text, list(default))

    def folders(self, name: str) -> list[Path]:
        """Folders, none by default. They need not be there."""
        text = self._value(name, "", "absolute paths separated by commas, none of them /")
        folders = [Path(one.strip()) for one in text.split(",")] if text else []
        is_fine = all(folder.is_absolute() and len(folder.parts) > 1 and ".." not in folder.parts for folder in folders)
        return folders if is_fine else self._refused(name, text, [])

    def endpoints(self, name: str) -> dict[str, AllowedEndpoint]:
        """Servers by their origin, none by default. Only one that is inward may be sent a secret without TLS."""
        allowed = "https://HOST:PORT with the names of its variables, separated by commas; and `inward` where it is"
        text = self._value(name, "", allowed)
        found = [_endpoint(entry.split()) for entry in text.split(",")] if text else []
        fine = {one.origin: one for one in found if one is not None}
        return fine if len(fine) == len(found) else self._refused(name, text, {})

    def path(self, name: str, default: Path) -> Path:
        path = Path(self._value(name, str(default), "an absolute path")).expanduser()
        return path if path.is_absolute() else self._refused(name, str(path), default)

    # --- hosts and URLs: messages show only the scheme of a URL, which may hold a password -----------------------

    def hosts(self, name: str, default: tuple[str, ...]) -> list[str]:
        """Host names of the site, as requests have them; one with a dot in front stands for all below it."""
        allowed = "names or addresses separated by commas, without scheme, port and *"
        values = [value.strip() for value in self._value(name, ",".join(default), allowed).split(",")]
        odd = [value for value in values if not _is_request_host(value)]
        return self._refused(name, ",".join(odd), list(default)) if odd else values

    def host(self, name: str) -> str:
        """Another machine, or "" by default."""
        value = self._value(name, "", "a name or an address, without port")
        return value if not value or _is_host(value) else self._refused(name, value, "")

    def listen_address(self, name: str, default: str) -> str:
        """An address to listen on, one of IPv6 in brackets."""
        value = self._value(name, default, "an address of this machine")
        bare = value[1:-1] if value.startswith("[") and value.endswith("]") else value
        is_fine = _is_address(bare) and (":" in bare) == (bare != value)
        return value if is_fine else self._refused(name, value, default)

    def origin(self, name: str, default: str) -> str:
        """Scheme, host and port of a site, without a slash at the end."""
        value = self._value(name, default, "http://HOST:PORT or https://HOST:PORT, without a path")
        parts = _split(value)
        return value.rstrip("/") if parts and _is_origin(parts) else self._refused(name, _scheme(parts), default)

    def broker_url(self, name: str, default: str) -> str:
        value = self._value(name, default, BROKER)
        parts = _split(value)
        return value if parts and _is_broker(parts) else self._refused(name, _scheme(parts), default)

    def database(self, name: str, default: Path) -> dict[str, object]:
        """An entry of Django's DATABASES, from the URL of a PostgreSQL database or SQLite file; `default` is a file."""
        parts = _split(self._value(name, f"sqlite:///{default}", DATABASE))
        found = _database(parts) if parts and not parts.fragment else None
        return found or self._refused(name, _scheme(parts), _sqlite(default))

    # -------------------------------------------------------------------------------------------------------------

    def _value(self, name: str, default: str, allowed: str) -> str:
        self.read[name] = Variable(default, allowed)
        return self._variables.get(name, "").strip() or default

    def _refused(self, name: str, seen: str, default: T) -> T:
        self._problems.append(f"{name}: seen {seen!r}; expected {self.read[name].allowed}")
        return default


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'" else value


def _is_request_host(value: str) -> bool:
    if value.startswith("["):
        return value.endswith("]") and ":" in value and _is_address(value[1:-1])
    return ":" not in value and not value.endswith(".") and _is_host(value.removeprefix("."))


def _is_host(text: str) -> bool:
    """Whether it is a name or an address; what ends in digits alone is no name."""
    return len(text) <= 253 and (_HOST.fullmatch(text.removesuffix(".")) is not None or _is_address(text))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _split(url: str) -> SplitResult | None:
    """The parts of a URL; None if it is none, or its port is no number from 0 to 65535."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _scheme(parts: SplitResult | None) -> str:
    return f"{parts.scheme if parts else ''}:…"


def _is_origin(parts: SplitResult) -> bool:
    is_bare = not (parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc)
    return is_bare and parts.scheme in ("http", "https") and _is_host(parts.hostname or "")


def _endpoint(words: list[str]) -> AllowedEndpoint | None:
    parts = _split(words[0]) if words else None
    names = tuple(word for word in words[1:] if word != INWARD)
    is_inward = INWARD in words
    if (
        parts is None
        or not _is_origin(parts)
        or not all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) for name in names)
    ):
        return None
    if parts.scheme == "http" and names and not is_inward:
        return None
    return AllowedEndpoint(origin_of(words[0]), names, is_inward)


def _is_broker(parts: SplitResult) -> bool:
    if parts.scheme == "filesystem":
        return bool(parts.netloc) and not (parts.path or parts.query or parts.fragment)
    names = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    has_tls_alone = all(name.startswith("ssl_") for name in names) and (not parts.query or parts.scheme == "rediss")
    is_numbered = re.fullmatch(r"/?|/[0-9]{1,4}", parts.path) is not None
    is_redis = parts.scheme in ("redis", "rediss") and _is_host(parts.hostname or "")
    return is_redis and is_numbered and has_tls_alone and not parts.fragment


def _database(parts: SplitResult) -> dict[str, object] | None:
    if parts.scheme == "sqlite" and not (parts.netloc or parts.query) and len(parts.path) > 1:
        return _sqlite(Path("/" + unquote(parts.path).lstrip("/")))
    host, tls = unquote(parts.hostname or ""), _database_tls(parts.query)
    is_reached = not host or host.startswith("/") or _is_host(host)  # by a socket, else by a name or an address
    is_named = re.fullmatch(r"/[^/]+", parts.path) is not None
    if parts.scheme not in ("postgresql", "postgres") or tls is None or not is_named or not is_reached:
        return None
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": dict(tls),
    }


def _database_tls(query: str) -> Mapping[str, str] | None:
    """How the database's connection is encrypted; None if the query has anything else, or has it twice."""
    pairs = parse_qsl(query, keep_blank_values=True)
    is_fine = all(re.fullmatch(_DATABASE_TLS.get(name, r"(?!)"), value) for name, value in pairs)
    return dict(pairs) if is_fine and len(dict(pairs)) == len(pairs) else None


def _sqlite(path: Path) -> dict[str, object]:
    """An entry of Django's DATABASES.

    WAL: pages are read while a worker writes. IMMEDIATE: two writers wait for each other instead of failing. Opening
    the file took more than half of a cached page's time, so a thread keeps it open. RECURSIVE_TRIGGERS: REPLACE removes
    rows, and the triggers that refuse that (runs/guards.py) then run.
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
