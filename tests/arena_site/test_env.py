"""Settings from the environment: odd values are refused by name, secrets are never repeated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arena_site import env
from arena_site.env import SettingError


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda value: monkeypatch.setenv("ARENA_THING", value)


@pytest.mark.parametrize(("value", "expected"), [("", True), ("1", True), ("Yes", True), ("off", False), ("0", False)])
def test_a_switch_is_on_or_off(given: Callable[[str], None], value: str, expected: bool) -> None:
    given(value)
    assert env.env_bool("ARENA_THING", True) is expected


@pytest.mark.parametrize("value", ["2", "ja", "truee", "None"])
def test_a_switch_refuses_anything_else(given: Callable[[str], None], value: str) -> None:
    given(value)
    with pytest.raises(SettingError, match="ARENA_THING: seen"):
        env.env_bool("ARENA_THING", False)


@pytest.mark.parametrize("value", ["0", "65536", "8e3", "80.0", "-1", "0x50", "٣", "9" * 30])
def test_a_number_is_whole_and_within_its_bounds(given: Callable[[str], None], value: str) -> None:
    given(value)
    with pytest.raises(SettingError, match=r"ARENA_THING: seen .* from 1 to 65535"):
        env.env_int("ARENA_THING", 8000, low=1, high=65535)


def test_a_number_has_its_default_only_where_nothing_is_said(given: Callable[[str], None]) -> None:
    assert env.env_int("ARENA_THING", 8000, low=1, high=65535) == 8000
    given("8001")
    assert env.env_int("ARENA_THING", 8000, low=1, high=65535) == 8001


@pytest.mark.parametrize("value", ["a,,b", ",a", "a,"])
def test_a_list_holds_no_empty_value(given: Callable[[str], None], value: str) -> None:
    given(value)
    with pytest.raises(SettingError, match="ARENA_THING"):
        env.env_list("ARENA_THING", ("a",))


def test_a_path_is_absolute(given: Callable[[str], None]) -> None:
    given("somewhere/else")
    with pytest.raises(SettingError, match="ARENA_THING"):
        env.env_path("ARENA_THING", Path("/"))


@pytest.mark.parametrize("value", ["", "short", "a" * 60])
def test_a_secret_is_long_and_never_repeated(given: Callable[[str], None], value: str) -> None:
    given(value)
    with pytest.raises(SettingError, match="ARENA_THING") as caught:
        env.env_secret("ARENA_THING")
    assert not value or value not in str(caught.value)


def test_without_a_url_the_database_is_a_file_in_wal_mode() -> None:
    database = env.env_database("ARENA_THING", Path("/state/db.sqlite3"))
    assert database["NAME"] == Path("/state/db.sqlite3")
    assert "journal_mode=WAL" in str(database["OPTIONS"])


def test_a_url_names_a_postgresql_database(given: Callable[[str], None]) -> None:
    given("postgresql://arena:p%40ss@db.example:5433/board")
    database = env.env_database("ARENA_THING", Path("/unused"))
    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert [database[key] for key in ("USER", "PASSWORD", "HOST", "PORT", "NAME")] == [
        "arena",
        "p@ss",
        "db.example",
        "5433",
        "board",
    ]


@pytest.mark.parametrize(
    "value",
    [
        "mysql://arena:secret@host/board",
        "postgresql://arena:secret@host",
        "postgresql://arena:secret@host:port/board",
        "sqlite://secret/relative",
        "sqlite:///",
        "secret",
    ],
)
def test_a_url_that_names_no_database_is_refused_without_its_password(given: Callable[[str], None], value: str) -> None:
    given(value)
    with pytest.raises(SettingError, match="ARENA_THING") as caught:
        env.env_database("ARENA_THING", Path("/unused"))
    assert "secret" not in str(caught.value)


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_THING", "environment")
    monkeypatch.delenv("ARENA_OTHER", raising=False)
    path = tmp_path / ".env"
    path.write_text("# a comment\n\nARENA_THING=file\nexport ARENA_OTHER='quoted value'\n")
    env.load_env_file(path)
    assert env.env_text("ARENA_THING", "") == "environment"
    assert env.env_text("ARENA_OTHER", "") == "quoted value"
    monkeypatch.delenv("ARENA_OTHER")


def test_a_line_of_the_file_that_is_no_setting_is_refused_without_its_value(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("SECRET KEY=very secret\n")
    with pytest.raises(SettingError, match=r"\.env, line 1") as caught:
        env.load_env_file(path)
    assert "very" not in str(caught.value)
