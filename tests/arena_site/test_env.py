"""Settings from the environment: odd values are refused by name, secrets are never repeated."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena_site import env
from arena_site.env import SettingError
from evaluator.agents import agent_names, read_agent

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.usefixtures("own_environment")


def refused(match: str = "ARENA_THING") -> str:
    """What is told; the problems are gone then."""
    with pytest.raises(SettingError, match=match) as caught:
        env.refuse_problems()
    return str(caught.value)


@pytest.mark.parametrize(("value", "expected"), [("", True), ("1", True), ("Yes", True), ("off", False), ("0", False)])
def test_a_switch_is_on_or_off(given: Callable[[str], None], value: str, expected: bool) -> None:
    given(value)
    assert env.env_bool("ARENA_THING", True) is expected


@pytest.mark.parametrize("value", ["2", "ja", "truee", "None"])
def test_a_switch_refuses_anything_else(given: Callable[[str], None], value: str) -> None:
    given(value)
    assert env.env_bool("ARENA_THING", False) is False
    refused("ARENA_THING: seen")


@pytest.mark.parametrize("value", ["0", "65536", "8e3", "80.0", "-1", "0x50", "٣", "9" * 30])
def test_a_number_is_whole_and_within_its_bounds(given: Callable[[str], None], value: str) -> None:
    given(value)
    env.env_int("ARENA_THING", 8000, low=1, high=65535)
    refused(r"ARENA_THING: seen .* from 1 to 65535")


def test_a_number_has_its_default_only_where_nothing_is_said(given: Callable[[str], None]) -> None:
    assert env.env_int("ARENA_THING", 8000, low=1, high=65535) == 8000
    given("8001")
    assert env.env_int("ARENA_THING", 8000, low=1, high=65535) == 8001


@pytest.mark.parametrize("value", ["-1", "1e3", "0.001", "12 USD", "inf", "nan", "1,50"])
def test_a_sum_of_money_is_in_dollars_and_cents(given: Callable[[str], None], value: str) -> None:
    given(value)
    env.env_amount("ARENA_THING")
    refused("expected US dollars")


def test_a_sum_of_money_may_be_left_out(given: Callable[[str], None]) -> None:
    assert env.env_amount("ARENA_THING") is None
    given("12.50")
    assert env.env_amount("ARENA_THING") == 12.5


@pytest.mark.parametrize("value", ["A,,B", ",A", "A,", "A B", "1A", "A=b", "A-B"])
def test_names_of_variables_are_such(given: Callable[[str], None], value: str) -> None:
    assert env.env_names("ARENA_THING", ("A",)) == ["A"]
    given("A, b_2")
    assert env.env_names("ARENA_THING", ("A",)) == ["A", "b_2"]
    given(value)
    assert env.env_names("ARENA_THING", ("A",)) == ["A"]
    refused("ARENA_THING: seen .*; expected names of variables")


@pytest.mark.parametrize("value", ["/", "here", "/opt,", "/opt,/", "/opt/../etc"])
def test_folders_are_absolute_and_never_everything(given: Callable[[str], None], value: str) -> None:
    assert env.env_folders("ARENA_THING") == []
    given("/opt/a, /opt/b")
    assert env.env_folders("ARENA_THING") == [Path("/opt/a"), Path("/opt/b")]
    given(value)
    assert env.env_folders("ARENA_THING") == []
    refused("ARENA_THING: seen .*; expected absolute paths")


def test_no_setting_is_ever_given_to_an_agent(given: Callable[[str], None]) -> None:
    given("ARENA_CHAT_KEY,SECRET_KEY,ARENA_CHAT_KEY_B,EMAIL_PASSWORD")
    env.note_unknown({"ARENA_THING": env.env_names("ARENA_THING", ())})
    refused("^ARENA_THING: seen 'SECRET_KEY,EMAIL_PASSWORD'; expected names of variables")


def test_a_key_that_agents_are_given_is_a_known_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_CHAT_KEY_B", "theirs")
    env.note_unknown({"ARENA_AGENT_SECRETS": ["ARENA_CHAT_KEY_B"]})
    env.refuse_problems()
    env.note_unknown()
    refused("ARENA_CHAT_KEY_B: no setting has that name")


def test_agents_are_given_what_their_files_name_unless_told_otherwise() -> None:
    named = {name for agent in agent_names() for name in read_agent(agent).settings.secrets}
    assert set(env.AGENT_SECRETS) == named


def test_a_path_is_absolute(given: Callable[[str], None]) -> None:
    given("somewhere/else")
    env.env_path("ARENA_THING", Path("/"))
    refused()


@pytest.mark.parametrize("value", ["", "short", "a" * 60])
def test_a_secret_is_long_and_never_repeated(given: Callable[[str], None], value: str) -> None:
    given(value)
    env.env_secret("ARENA_THING")
    told = refused()
    assert not value or value not in told


def test_a_secret_that_may_be_left_out_is_still_no_short_one(given: Callable[[str], None]) -> None:
    assert env.env_secret("ARENA_THING", needed=False) == ""
    env.refuse_problems()
    given("short")
    env.env_secret("ARENA_THING", needed=False)
    refused()


def test_a_choice_is_one_of_its_words(given: Callable[[str], None]) -> None:
    assert env.env_choice("ARENA_THING", "text", "json") == "text"
    given("json")
    assert env.env_choice("ARENA_THING", "text", "json") == "json"
    given("xml")
    env.env_choice("ARENA_THING", "text", "json")
    refused("expected text, json")


def test_everything_odd_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_THING", "maybe")
    monkeypatch.setenv("ARENA_OTHER", "many")
    env.env_bool("ARENA_THING", True), env.env_int("ARENA_OTHER", 1, low=0, high=9), env.env_secret("ARENA_KEY")
    assert [line.partition(":")[0] for line in refused().splitlines()] == ["ARENA_THING", "ARENA_OTHER", "ARENA_KEY"]


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_THING", "environment")
    monkeypatch.delenv("ARENA_OTHER", raising=False)
    path = tmp_path / ".env"
    path.write_text("# a comment\n\nARENA_THING=file\nexport ARENA_OTHER='quoted value'\n")
    env.load_env_file(path)
    assert env.env_text("ARENA_THING", "") == "environment"
    assert env.env_text("ARENA_OTHER", "") == "quoted value"
    del os.environ["ARENA_OTHER"]  # monkeypatch would bring it back


def test_a_line_of_the_file_that_is_no_setting_is_refused_without_its_value(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("SECRET KEY=very secret\n")
    env.load_env_file(path)
    assert "very" not in refused(r"\.env, line 1")


@pytest.mark.parametrize(
    ("name", "meant"),
    [("ARENA_LEAST_FREE_MBB", "ARENA_LEAST_FREE_MB"), ("ARENA_HEARTBEAT", "ARENA_HEARTBEAT_S"), ("ARENA_X", "ARENA_")],
)
def test_a_name_of_ours_that_nothing_reads_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, meant: str) -> None:
    monkeypatch.setenv(name, "1")
    env.note_unknown()
    refused(f"^{name}: no setting has that name; did you mean {meant}")


def test_a_name_in_the_file_that_is_nearly_a_setting_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others' names may stand there, and anybody's in the environment."""
    path = tmp_path / ".env"
    path.write_text("ALLOWED_HOST=here\nOPENAI_API_KEY=theirs\nEMAIL_PORT=25\n")
    for name in ("ALLOWED_HOST", "OPENAI_API_KEY", "EMAIL_PORT", "SITE_URI"):
        monkeypatch.setenv(name, "theirs")
    env.load_env_file(path)
    env.note_unknown()
    assert refused("did you mean ALLOWED_HOSTS").count("did you mean") == 1


def test_every_variable_of_ours_that_anything_reads_is_known() -> None:
    reads = re.compile(r'environ(?:\.get)?[\[(]\s*"(ARENA_[A-Z_]+)"')
    folders = ("evaluator", "runs", "leaderboard", "arena_site", "scripts", "tests")
    texts = [path.read_text() for folder in folders for path in (ROOT / folder).rglob("*.py")]
    read = {name for text in texts for name in reads.findall(text)}
    secrets = {name for agent in agent_names() for name in read_agent(agent).settings.secrets}
    read.discard("ARENA_OTHER")  # of a test above
    assert {"ARENA_REPEATS", "ARENA_CHAOS", "ARENA_STATE"} <= read
    assert read | {name for name in secrets if name.startswith(env.OURS)} <= set(env.READ) | env.ELSEWHERE


def test_a_command_names_all_of_them_and_ends_with_3(tmp_path: Path) -> None:
    odd = {"PORT": "0", "DEBUG": "perhaps", "ARENA_STATE": "here", "SECRET_KEY": "short", "PATH": os.environ["PATH"]}
    odd |= {"ARENA_LEAST_FREE_MBB": "1", "ARENA_AGENT_SECRETS": "SECRET_KEY"}
    odd |= {"ALLOWED_HOSTS": "https://a", "SITE_URL": "https://a b/x", "ARENA_LISTEN": "999.1.1.1"}
    odd |= {"BROKER_URL": "redis://h/abc", "EMAIL_HOST": "a b:25", "DATABASE_URL": "postgresql://u:p@h/n?x=1"}
    command = [sys.executable, "manage.py", "check"]
    ended = subprocess.run(command, cwd=ROOT, env=odd, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert [line.partition(":")[0] for line in ended.stderr.splitlines()] == [
        "ARENA_STATE",
        "SECRET_KEY",
        "DEBUG",
        "ALLOWED_HOSTS",
        "DATABASE_URL",
        "SITE_URL",
        "EMAIL_HOST",
        "BROKER_URL",
        "PORT",
        "ARENA_LISTEN",
        "ARENA_AGENT_SECRETS",
        "ARENA_LEAST_FREE_MBB",
    ]
    assert not (ROOT / "here").exists()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DATABASE_URL", "sqlite:////no/such/folder/db", "the database cannot do it; is DATABASE_URL right"),
        ("ARENA_STATE", "/proc/none", "this machine cannot do it: [Errno 2]"),
    ],
)
def test_a_command_that_cannot_work_says_why_in_one_line_and_ends_with_1(
    name: str, value: str, said: str, tmp_path: Path
) -> None:
    given = {
        "SECRET_KEY": secrets.token_urlsafe(48),
        "ARENA_STATE": str(tmp_path),
        "PATH": os.environ["PATH"],
        name: value,
    }
    command = [sys.executable, "manage.py", "migrate", "--skip-checks"]
    ended = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1), ended.stderr
    assert ended.stderr.startswith(said)


MAIL = "from django.core.mail import get_connection as g; c = g(); print(*[getattr(c, name) for name in {names}])"


@pytest.mark.slow
@pytest.mark.parametrize(("tls", "use_tls", "use_ssl"), [("starttls", True, False), ("tls", False, True)])
def test_a_mail_server_is_asked_by_its_port_and_name(tmp_path: Path, tls: str, use_tls: bool, use_ssl: bool) -> None:
    names = ("host", "port", "username", "password", "use_tls", "use_ssl")
    given = {"PATH": os.environ["PATH"], "SECRET_KEY": "qwertyuiop" * 4, "ARENA_STATE": str(tmp_path)}
    given |= {"EMAIL_HOST": "mail.example", "EMAIL_PORT": "587", "EMAIL_TLS": tls}
    given |= {"EMAIL_USER": "arena", "EMAIL_PASSWORD": "tell nobody"}
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", MAIL.format(names=names)]
    ended = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    assert ended.stdout.strip() == f"mail.example 587 arena tell nobody {use_tls} {use_ssl}", ended.stderr
