"""Settings that name hosts, URLs and the database: what cannot be meant is refused, and no password is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arena_site import env, env_places
from arena_site.env import SettingError

ELSE = Path("/state/db.sqlite3")

pytestmark = pytest.mark.usefixtures("own_environment")


def refused(match: str = "ARENA_THING: seen .*; expected ") -> str:
    with pytest.raises(SettingError, match=match) as caught:
        env.refuse_problems()
    return str(caught.value)


HOSTS = ["arena.example", ".arena.example", "localhost", "web_1", "xn--bcher-kva.example", "10.0.0.1", "[::1]"]
NO_HOSTS = ["https://arena.example", "arena.example:8000", "*", "a/b", "a b", "", "999.1.1.1", "::1", "[::1", "[a]"]
NO_HOSTS += ["arena.example.", "-a.example", "a..b", "u@h", "a" * 64, "a.1", "[10.0.0.1]", "b\u00fccher.example"]


@pytest.mark.parametrize("value", HOSTS)
def test_names_under_which_a_site_is_asked(given: Callable[[str], None], value: str) -> None:
    given(f"{value}, other.example")
    assert env_places.env_hosts("ARENA_THING", ("localhost",)) == [value, "other.example"]


@pytest.mark.parametrize("value", NO_HOSTS)
def test_what_no_request_names_a_site_by_is_refused(given: Callable[[str], None], value: str) -> None:
    given(f"fine.example,{value}")
    assert env_places.env_hosts("ARENA_THING", ("localhost",)) == ["localhost"]
    told = refused()
    assert repr(value) in told
    assert "fine.example" not in told


@pytest.mark.parametrize("value", ["mail.example", "10.0.0.1", "::1", "mail"])
def test_a_server_has_a_name_or_an_address(given: Callable[[str], None], value: str) -> None:
    assert env_places.env_host("ARENA_THING") == ""
    given(value)
    assert env_places.env_host("ARENA_THING") == value


@pytest.mark.parametrize("value", ["a b:25", "mail.example:25", "smtp://mail.example", "a b", "[::1]", "300.1.1.1"])
def test_a_server_has_nothing_else(given: Callable[[str], None], value: str) -> None:
    given(value)
    assert env_places.env_host("ARENA_THING") == ""
    refused("expected a name or an address, without port")


@pytest.mark.parametrize("value", ["0.0.0.0", "127.0.0.1", "[::]", "[::1]"])
def test_an_address_to_listen_on(given: Callable[[str], None], value: str) -> None:
    given(value)
    assert env_places.env_listen("ARENA_THING", "127.0.0.1") == value


@pytest.mark.parametrize("value", ["999.1.1.1", "1.1", "::1", "[127.0.0.1]", "localhost", "[]", "127.0.0.1:80", "[::1"])
def test_what_is_no_address_is_not_listened_on(given: Callable[[str], None], value: str) -> None:
    given(value)
    assert env_places.env_listen("ARENA_THING", "127.0.0.1") == "127.0.0.1"
    refused("expected an address of this machine")


def test_the_sites_own_address_ends_before_its_path(given: Callable[[str], None]) -> None:
    given("https://arena.example:8443/")
    assert env_places.env_origin("ARENA_THING", "http://localhost") == "https://arena.example:8443"


@pytest.mark.parametrize(
    "value",
    [
        *("ftp://planted:secret@host/", "planted", "http:host", "http://[planted", "http://h:x/", "https://a b/x"),
        *("https://h/planted", "https://h?planted", "https://h/#planted", "https://u:planted@h", "https://", "//h"),
    ],
)
def test_a_sites_address_is_a_host_and_never_repeated(given: Callable[[str], None], value: str) -> None:
    given(value)
    assert env_places.env_origin("ARENA_THING", "http://localhost") == "http://localhost"
    assert "planted" not in refused()


@pytest.mark.parametrize(
    "value",
    [
        *("filesystem://localhost", "redis://h", "redis://h/", "redis://h:6379/15", "redis://:p%2Fw@10.0.0.1:6379/0"),
        *("rediss://user:pw@h:6380/0?ssl_cert_reqs=required", "redis://[::1]:6379/0"),
    ],
)
def test_a_broker_is_files_or_redis(given: Callable[[str], None], value: str) -> None:
    given(value)
    assert env_places.env_broker("ARENA_THING", "filesystem://localhost") == value


@pytest.mark.parametrize(
    "value",
    [
        *("redis://planted/abc", "redis://planted:pw@/0", "redis://planted b/0", "redis://planted/0/1", "redis:///0"),
        *("redis://planted/0?ssl_cert_reqs=none", "rediss://planted/0?db=1", "redis://planted/0#1", "amqp://planted//"),
        *("filesystem://", "filesystem://localhost/planted", "redis://planted:port/0", "planted"),
    ],
)
def test_a_broker_is_nothing_else_and_never_repeated(given: Callable[[str], None], value: str) -> None:
    given(value)
    assert env_places.env_broker("ARENA_THING", "filesystem://localhost") == "filesystem://localhost"
    assert "planted" not in refused()


def test_without_a_url_the_database_is_a_file_in_wal_mode() -> None:
    database = env_places.env_database("ARENA_THING", ELSE)
    assert database["NAME"] == ELSE
    assert "journal_mode=WAL" in str(database["OPTIONS"])


def test_a_url_names_a_postgresql_database(given: Callable[[str], None]) -> None:
    given("postgresql://arena:p%40ss@db.example:5433/board")
    database = env_places.env_database("ARENA_THING", ELSE)
    names = ("USER", "PASSWORD", "HOST", "PORT", "NAME", "OPTIONS")
    assert [database[key] for key in names] == ["arena", "p@ss", "db.example", "5433", "board", {}]
    assert database["ENGINE"] == "django.db.backends.postgresql"


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("sslmode=require", {"sslmode": "require"}),
        ("sslmode=verify-full&sslrootcert=/etc/ca.pem", {"sslmode": "verify-full", "sslrootcert": "/etc/ca.pem"}),
        ("sslmode=verify-full&sslrootcert=system", {"sslmode": "verify-full", "sslrootcert": "system"}),
    ],
)
def test_a_url_says_how_the_connection_is_encrypted(
    given: Callable[[str], None], query: str, options: dict[str, str]
) -> None:
    given(f"postgresql://arena:pw@db.example/board?{query}")
    assert env_places.env_database("ARENA_THING", ELSE)["OPTIONS"] == options


def test_a_database_may_be_reached_by_a_socket(given: Callable[[str], None]) -> None:
    given("postgresql://arena@%2Fvar%2Frun%2Fpostgresql/board")
    assert env_places.env_database("ARENA_THING", ELSE)["HOST"] == "/var/run/postgresql"


@pytest.mark.parametrize(
    "value",
    [
        "mysql://arena:secret@host/board",
        "postgresql://arena:secret@host",
        "postgresql://arena:secret@host:port/board",
        "postgresql://arena:secret@[host/board",
        "postgresql://arena:secret@host/board/secret",
        "postgresql://arena:secret@a b/board",
        "postgresql://arena:secret@host/board#secret",
        "postgresql://arena:1/2?secret@host/board",
        *(f"postgresql://arena:secret@host/board?{query}" for query in ("sslmode", "sslmode=secret", "secret=1")),
        *(
            f"postgresql://arena:secret@host/board?sslmode=require&{query}"
            for query in ("sslmode=prefer", "user=secret")
        ),
        "postgresql://arena:secret@host/board?sslmode=verify-ca&sslrootcert=secret.pem",
        "sqlite://secret/relative",
        "sqlite:///",
        "sqlite:////secret?mode=ro",
        "secret",
    ],
)
def test_a_url_that_names_no_database_is_refused_without_its_password(given: Callable[[str], None], value: str) -> None:
    given(value)
    assert env_places.env_database("ARENA_THING", ELSE)["NAME"] == ELSE
    assert "secret" not in refused()
