"""Settings that name places: hosts, addresses, URLs, the database. Of a URL only the scheme is told: it may hold a
password.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from arena_site.env import refused, value_of

DATABASE = (
    "postgresql://USER:PASSWORD@HOST:PORT/NAME, with ?sslmode=…&sslrootcert=… where TLS is wanted,"
    " or sqlite:////ABSOLUTE/PATH"
)
BROKER = "filesystem://localhost or redis://:PASSWORD@HOST:PORT/NUMBER or rediss://…, which takes ?ssl_…"
TLS = {"sslmode": r"disable|allow|prefer|require|verify-ca|verify-full", "sslrootcert": r"/.+|system"}
_LABEL = r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)"
_HOST = re.compile(rf"(?:{_LABEL}\.){{0,30}}(?![0-9]+\Z){_LABEL}")


def env_hosts(name: str, default: tuple[str, ...]) -> list[str]:
    """Names under which the site is asked, as requests have them: a dot in front stands for all below it."""
    text = value_of(name, ",".join(default), "names or addresses parted by commas, without scheme, port and *")
    values = [value.strip() for value in text.split(",")]
    odd = [value for value in values if not _is_asked_host(value)]
    return refused(name, ",".join(odd), list(default)) if odd else values


def env_host(name: str) -> str:
    """Another machine; nothing where none is said."""
    value = value_of(name, "", "a name or an address, without port")
    return value if not value or _is_host(value) else refused(name, value, "")


def env_listen(name: str, default: str) -> str:
    """An address to listen on, one of IPv6 in brackets."""
    value = value_of(name, default, "an address of this machine")
    bare = value[1:-1] if value.startswith("[") and value.endswith("]") else value
    return value if _is_address(bare) and (":" in bare) == (bare != value) else refused(name, value, default)


def env_origin(name: str, default: str) -> str:
    """How addresses of the site begin; without the slash that each goes on with."""
    value = value_of(name, default, "http://HOST:PORT or https://HOST:PORT, without a path")
    parts = _split(value)
    is_plain = parts is not None and not (parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc)
    if parts is None or not is_plain or parts.scheme not in ("http", "https") or not _is_host(parts.hostname or ""):
        return refused(name, _scheme(parts), default)
    return value.rstrip("/")


def env_broker(name: str, default: str) -> str:
    value = value_of(name, default, BROKER)
    parts = _split(value)
    return value if parts is not None and _is_broker(parts) else refused(name, _scheme(parts), default)


def env_database(name: str, default: Path) -> dict[str, object]:
    """postgresql://user:password@host:port/name or sqlite:////absolute/path; nothing: the default SQLite file."""
    parts = _split(value_of(name, f"sqlite:///{default}", DATABASE))
    if parts is None or parts.fragment:
        return refused(name, _scheme(parts), sqlite(default))
    if parts.scheme == "sqlite" and not (parts.netloc or parts.query) and len(parts.path) > 1:
        return sqlite(Path("/" + unquote(parts.path).lstrip("/")))
    host, tls = unquote(parts.hostname or ""), _tls_of(parts.query)
    is_reached = not host or host.startswith("/") or _is_host(host)  # by a socket, else by a name or an address
    is_named = re.fullmatch(r"/[^/]+", parts.path) is not None
    if parts.scheme not in ("postgresql", "postgres") or tls is None or not is_named or not is_reached:
        return refused(name, _scheme(parts), sqlite(default))
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


def _tls_of(query: str) -> Mapping[str, str] | None:
    """How the database's connection is encrypted; None: the query says anything else, or says it twice."""
    pairs = parse_qsl(query, keep_blank_values=True)
    is_fine = all(re.fullmatch(TLS.get(name, r"(?!)"), value) for name, value in pairs)
    return dict(pairs) if is_fine and len(dict(pairs)) == len(pairs) else None


def _is_broker(parts: SplitResult) -> bool:
    if parts.scheme == "filesystem":
        return bool(parts.netloc) and not (parts.path or parts.query or parts.fragment)
    names = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    asks_tls = all(name.startswith("ssl_") for name in names) and (not parts.query or parts.scheme == "rediss")
    is_numbered = re.fullmatch(r"/?|/[0-9]{1,4}", parts.path) is not None
    is_redis = parts.scheme in ("redis", "rediss") and _is_host(parts.hostname or "")
    return is_redis and is_numbered and asks_tls and not parts.fragment


def _is_asked_host(value: str) -> bool:
    if value.startswith("["):
        return value.endswith("]") and ":" in value and _is_address(value[1:-1])
    return ":" not in value and not value.endswith(".") and _is_host(value.removeprefix("."))


def _is_host(text: str) -> bool:
    """A name, or an address: figures alone in the last place are no name."""
    return len(text) <= 253 and (_HOST.fullmatch(text.removesuffix(".")) is not None or _is_address(text))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _split(url: str) -> SplitResult | None:
    """None: it is no URL, or its port is no number from 0 to 65535."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _scheme(parts: SplitResult | None) -> str:
    return f"{parts.scheme if parts else ''}:…"
