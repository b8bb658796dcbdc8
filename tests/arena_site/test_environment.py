"""Settings from the environment: odd values are refused by name, secrets and passwords are never shown."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from arena_site.environment import (
    DEFAULT_AGENT_SECRETS,
    PREFIX,
    READ_ELSEWHERE,
    Environment,
    SettingError,
    likely_origin,
)
from arena_site.settings import env
from evaluator.agents import agent_names, read_agent

ROOT = Path(__file__).parents[2]
FALLBACK = Path("/state/db.sqlite3")


def given(value: str | None) -> Environment:
    return Environment({} if value is None else {"ARENA_THING": value})


def problems(of: Environment, match: str = "ARENA_THING") -> str:
    with pytest.raises(SettingError, match=match) as caught:
        of.raise_problems()
    of.raise_problems()  # each is raised once
    return str(caught.value)


@pytest.mark.parametrize(("value", "expected"), [("", True), ("1", True), ("Yes", True), ("off", False), ("0", False)])
def test_a_switch_is_on_or_off(value: str, expected: bool) -> None:
    assert given(value).boolean("ARENA_THING", True) is expected


@pytest.mark.parametrize("value", ["2", "ja", "truee", "None"])
def test_a_switch_refuses_anything_else(value: str) -> None:
    of = given(value)
    assert of.boolean("ARENA_THING", False) is False
    problems(of, f"ARENA_THING: seen '{value}'; expected 1, true")


@pytest.mark.parametrize("value", ["0", "65536", "8e3", "80.0", "-1", "0x50", "8_0", "٣", "9" * 30])
def test_a_number_is_whole_and_within_its_bounds(value: str) -> None:
    of = given(value)
    of.integer("ARENA_THING", 8000, low=1, high=65535)
    problems(of, r"ARENA_THING: seen .* from 1 to 65535")


def test_a_number_has_its_default_only_where_the_variable_is_missing_or_empty() -> None:
    assert given(None).integer("ARENA_THING", 8000, low=1, high=65535) == 8000
    assert given(" ").integer("ARENA_THING", 8000, low=1, high=65535) == 8000
    assert given("8001").integer("ARENA_THING", 8000, low=1, high=65535) == 8001


@pytest.mark.parametrize("value", ["-1", "1e3", "0.001", "12 USD", "inf", "nan", "1,50"])
def test_a_sum_of_money_is_in_dollars_and_cents(value: str) -> None:
    of = given(value)
    of.dollars("ARENA_THING")
    problems(of, "expected US dollars")


def test_a_sum_of_money_may_be_left_out() -> None:
    assert given(None).dollars("ARENA_THING") is None
    assert given("12.50").dollars("ARENA_THING") == 12.5


def test_names_of_variables_are_separated_by_commas() -> None:
    assert given(None).variable_names("ARENA_THING", ("A",)) == ["A"]
    assert given("A, b_2").variable_names("ARENA_THING", ("A",)) == ["A", "b_2"]


@pytest.mark.parametrize("value", ["A,,B", ",A", "A,", "A B", "1A", "A=b", "A-B"])
def test_what_cannot_name_a_variable_is_refused(value: str) -> None:
    of = given(value)
    assert of.variable_names("ARENA_THING", ("A",)) == ["A"]
    problems(of, "ARENA_THING: seen .*; expected names of variables")


def test_folders_are_separated_by_commas() -> None:
    assert given(None).folders("ARENA_THING") == []
    assert given("/opt/a, /opt/b").folders("ARENA_THING") == [Path("/opt/a"), Path("/opt/b")]


@pytest.mark.parametrize("value", ["/", "here", "/opt,", "/opt,/", "/opt/../etc"])
def test_folders_are_absolute_and_never_everything(value: str) -> None:
    of = given(value)
    assert of.folders("ARENA_THING") == []
    problems(of, "ARENA_THING: seen .*; expected absolute paths")


def test_a_server_that_agents_may_ask_has_its_keys_beside_it() -> None:
    of = given(
        "https://API.example OPENAI_API_KEY, http://vllm.lan:8000 inward ARENA_CHAT_KEY KEY_B,http://127.0.0.1:8080"
    )
    found = of.endpoints("ARENA_THING")
    assert list(found) == ["https://api.example:443", "http://vllm.lan:8000", "http://127.0.0.1:8080"]
    assert [one.secrets for one in found.values()] == [("OPENAI_API_KEY",), ("ARENA_CHAT_KEY", "KEY_B"), ()]
    assert [one.is_inward for one in found.values()] == [False, True, False]
    assert given(None).endpoints("ARENA_THING") == {}


@pytest.mark.parametrize(
    "value",
    [
        "api.example",
        "https://api.example/v1",
        "https://me:key@api.example",
        "ftp://api.example",
        "https://*.example",
        "https://api.example,",
        "https://api.example KEY-B",
        "http://api.example KEY",  # in the clear
        "https://api.example, https://API.example:443 KEY",  # twice
    ],
)
def test_a_server_is_an_origin_and_gets_keys_by_https_or_inward(value: str) -> None:
    of = given(value)
    assert of.endpoints("ARENA_THING") == {}
    problems(of, "^ARENA_THING: seen .*; expected https://HOST:PORT")


def test_no_setting_is_ever_given_to_an_agent() -> None:
    of = given("ARENA_CHAT_KEY,SECRET_KEY,ARENA_CHAT_KEY_B,EMAIL_PASSWORD")
    of.secret("SECRET_KEY", needed=False), of.text("EMAIL_PASSWORD", "")
    of.refuse_unknown_names({"ARENA_THING": of.variable_names("ARENA_THING", ())})
    problems(of, "^ARENA_THING: seen 'SECRET_KEY,EMAIL_PASSWORD'; expected names of variables")


def test_a_key_that_agents_are_given_is_a_known_name() -> None:
    of = Environment({"ARENA_CHAT_KEY_B": "theirs"})
    of.refuse_unknown_names({"ARENA_AGENT_SECRETS": ["ARENA_CHAT_KEY_B"]})
    of.raise_problems()
    of.refuse_unknown_names()
    problems(of, "ARENA_CHAT_KEY_B: no setting has that name")


def test_agents_are_given_what_their_files_name_unless_a_setting_says_otherwise() -> None:
    named = {name for agent in agent_names() for name in read_agent(agent).settings.secrets}
    assert set(DEFAULT_AGENT_SECRETS) == named


@pytest.mark.parametrize(
    ("hosts", "https", "origin"),
    [
        (["localhost", "127.0.0.1"], False, "http://localhost:8123"),
        (["127.0.0.1", "board.example"], False, "http://board.example:8123"),
        ([".example", "board.example"], True, "https://board.example"),
        ([".example"], True, "http://localhost:8123"),
    ],
)
def test_links_in_mail_begin_as_the_site_is_reached(hosts: list[str], https: bool, origin: str) -> None:
    assert likely_origin(hosts, 8123, https=https) == origin


def test_a_path_is_absolute() -> None:
    of = given("somewhere/else")
    assert of.path("ARENA_THING", Path("/there")) == Path("/there")
    problems(of, "ARENA_THING: seen 'somewhere/else'; expected an absolute path")


@pytest.mark.parametrize("value", ["", "short", "a" * 60])
def test_a_secret_is_long_and_never_shown(value: str) -> None:
    of = given(value)
    of.secret("ARENA_THING")
    shown = problems(of)
    assert not value or value not in shown


def test_a_secret_that_may_be_left_out_is_still_no_short_one() -> None:
    of = given(None)
    assert of.secret("ARENA_THING", needed=False) == ""
    of.raise_problems()
    of = given("short")
    of.secret("ARENA_THING", needed=False)
    problems(of)


def test_a_choice_is_one_of_its_words() -> None:
    assert given(None).choice("ARENA_THING", "text", "json") == "text"
    assert given("json").choice("ARENA_THING", "text", "json") == "json"
    of = given("xml")
    of.choice("ARENA_THING", "text", "json")
    problems(of, "expected text, json")


def test_all_problems_are_raised_at_once() -> None:
    of = Environment({"ARENA_THING": "maybe", "ARENA_OTHER": "many"})
    of.boolean("ARENA_THING", True), of.integer("ARENA_OTHER", 1, low=0, high=9), of.secret("ARENA_KEY")
    assert [line.partition(":")[0] for line in problems(of).splitlines()] == ["ARENA_THING", "ARENA_OTHER", "ARENA_KEY"]


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    variables = {"ARENA_THING": "environment"}
    path = tmp_path / ".env"
    path.write_text("# a comment\n\nARENA_THING=file\nexport ARENA_OTHER='quoted value'\n")
    Environment(variables).load_file(path)
    assert variables == {"ARENA_THING": "environment", "ARENA_OTHER": "quoted value"}


def test_what_the_file_has_is_there_for_everything_in_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", {})
    path = tmp_path / ".env"
    path.write_text("ARENA_STATE=/state\n")
    Environment().load_file(path)
    assert os.environ["ARENA_STATE"] == "/state"


def test_a_password_in_the_file_is_taken_as_it_is(tmp_path: Path) -> None:
    variables: dict[str, str] = {}
    path = tmp_path / ".env"
    path.write_text("EMAIL_PASSWORD=a#b $c ${HOME} \\n 'd\n")
    Environment(variables).load_file(path)
    assert variables["EMAIL_PASSWORD"] == "a#b $c ${HOME} \\n 'd"


def test_a_line_of_the_file_that_is_no_setting_is_refused_without_its_value(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("SECRET KEY=very secret\n")
    of = Environment({})
    of.load_file(path)
    assert "very" not in problems(of, r"\.env, line 1")


@pytest.mark.parametrize(
    ("name", "meant"),
    [("ARENA_LEAST_FREE_MBB", "ARENA_LEAST_FREE_MB"), ("ARENA_HEARTBEAT", "ARENA_HEARTBEAT_S"), ("ARENA_X", "ARENA_")],
)
def test_a_name_of_ours_that_nothing_reads_is_refused(name: str, meant: str) -> None:
    of = Environment({name: "1"})
    of.read.update(env.read)
    of.refuse_unknown_names()
    problems(of, f"^{name}: no setting has that name; did you mean {meant}")


def test_a_name_in_the_file_that_is_nearly_a_setting_is_refused(tmp_path: Path) -> None:
    """Others' names may stand there, and anybody's in the environment."""
    path = tmp_path / ".env"
    path.write_text("ALLOWED_HOST=here\nOPENAI_API_KEY=theirs\nEMAIL_PORT=25\n")
    of = Environment({"SITE_URI": "theirs"})
    of.read.update(env.read)
    of.load_file(path)
    of.refuse_unknown_names()
    assert problems(of, "did you mean ALLOWED_HOSTS").count("did you mean") == 1


def test_every_variable_of_ours_that_anything_reads_is_known() -> None:
    reads = re.compile(r'environ(?:\.get)?[\[(]\s*"(ARENA_[A-Z_]+)"')
    folders = ("evaluator", "runs", "leaderboard", "arena_site", "scripts", "tests")
    texts = [path.read_text() for folder in folders for path in (ROOT / folder).rglob("*.py")]
    read = {name for text in texts for name in reads.findall(text)}
    secrets = {name for agent in agent_names() for name in read_agent(agent).settings.secrets}
    assert {"ARENA_REPEATS", "ARENA_CHAOS", "ARENA_STATE"} <= read
    assert read | {name for name in secrets if name.startswith(PREFIX)} <= set(env.read) | READ_ELSEWHERE


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
        "EMAIL_HOST",
        "BROKER_URL",
        "PORT",
        "SITE_URL",
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
    variables = {
        "SECRET_KEY": secrets.token_urlsafe(48),
        "ARENA_STATE": str(tmp_path),
        "PATH": os.environ["PATH"],
        name: value,
    }
    command = [sys.executable, "manage.py", "migrate", "--skip-checks"]
    ended = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1), ended.stderr
    assert ended.stderr.startswith(said)


MAIL = "from django.core.mail import get_connection as g; c = g(); print(*[getattr(c, name) for name in {names}])"


@pytest.mark.slow
@pytest.mark.parametrize(("tls", "use_tls", "use_ssl"), [("starttls", True, False), ("tls", False, True)])
def test_a_mail_server_is_asked_by_its_port_and_name(tmp_path: Path, tls: str, use_tls: bool, use_ssl: bool) -> None:
    names = ("host", "port", "username", "password", "use_tls", "use_ssl")
    variables = {"PATH": os.environ["PATH"], "SECRET_KEY": "qwertyuiop" * 4, "ARENA_STATE": str(tmp_path)}
    variables |= {"EMAIL_HOST": "mail.example", "EMAIL_PORT": "587", "EMAIL_TLS": tls}
    variables |= {"EMAIL_USER": "arena", "EMAIL_PASSWORD": "tell nobody"}
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", MAIL.format(names=names)]
    ended = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    assert ended.stdout.strip() == f"mail.example 587 arena tell nobody {use_tls} {use_ssl}", ended.stderr


HOSTS = ["arena.example", ".arena.example", "localhost", "web_1", "xn--bcher-kva.example", "10.0.0.1", "[::1]"]
NO_HOSTS = ["https://arena.example", "arena.example:8000", "*", "a/b", "a b", "", "999.1.1.1", "::1", "[::1", "[a]"]
NO_HOSTS += ["arena.example.", "-a.example", "a..b", "u@h", "a" * 64, "a.1", "[10.0.0.1]", "b\u00fccher.example"]


@pytest.mark.parametrize("value", HOSTS)
def test_a_site_has_the_names_that_requests_have(value: str) -> None:
    assert given(f"{value}, other.example").hosts("ARENA_THING", ("localhost",)) == [value, "other.example"]


@pytest.mark.parametrize("value", NO_HOSTS)
def test_what_no_request_names_a_site_by_is_refused(value: str) -> None:
    of = given(f"fine.example,{value}")
    assert of.hosts("ARENA_THING", ("localhost",)) == ["localhost"]
    shown = problems(of)
    assert repr(value) in shown
    assert "fine.example" not in shown


@pytest.mark.parametrize("value", ["mail.example", "10.0.0.1", "::1", "mail"])
def test_a_server_has_a_name_or_an_address(value: str) -> None:
    assert given(None).host("ARENA_THING") == ""
    assert given(value).host("ARENA_THING") == value


@pytest.mark.parametrize("value", ["a b:25", "mail.example:25", "smtp://mail.example", "a b", "[::1]", "300.1.1.1"])
def test_a_server_has_nothing_else(value: str) -> None:
    of = given(value)
    assert of.host("ARENA_THING") == ""
    problems(of, "expected a name or an address, without port")


@pytest.mark.parametrize("value", ["0.0.0.0", "127.0.0.1", "[::]", "[::1]"])
def test_an_address_is_listened_on(value: str) -> None:
    assert given(value).listen_address("ARENA_THING", "127.0.0.1") == value


@pytest.mark.parametrize("value", ["999.1.1.1", "1.1", "::1", "[127.0.0.1]", "localhost", "[]", "127.0.0.1:80", "[::1"])
def test_what_is_no_address_is_not_listened_on(value: str) -> None:
    of = given(value)
    assert of.listen_address("ARENA_THING", "127.0.0.1") == "127.0.0.1"
    problems(of, "expected an address of this machine")


def test_the_sites_own_address_ends_before_its_path() -> None:
    assert given("https://arena.example:8443/").origin("ARENA_THING", "") == "https://arena.example:8443"


@pytest.mark.parametrize(
    "value",
    [
        *("ftp://planted:secret@host/", "planted", "http:host", "http://[planted", "http://h:x/", "https://a b/x"),
        *("https://h/planted", "https://h?planted", "https://h/#planted", "https://u:planted@h", "https://", "//h"),
    ],
)
def test_a_sites_address_is_a_host_and_never_shown(value: str) -> None:
    of = given(value)
    assert of.origin("ARENA_THING", "http://localhost") == "http://localhost"
    assert "planted" not in problems(of)


@pytest.mark.parametrize(
    "value",
    [
        *("filesystem://localhost", "redis://h", "redis://h/", "redis://h:6379/15", "redis://:p%2Fw@10.0.0.1:6379/0"),
        *("rediss://user:pw@h:6380/0?ssl_cert_reqs=required", "redis://[::1]:6379/0"),
    ],
)
def test_a_broker_is_files_or_redis(value: str) -> None:
    assert given(value).broker_url("ARENA_THING", "filesystem://localhost") == value


@pytest.mark.parametrize(
    "value",
    [
        *("redis://planted/abc", "redis://planted:pw@/0", "redis://planted b/0", "redis://planted/0/1", "redis:///0"),
        *("redis://planted/0?ssl_cert_reqs=none", "rediss://planted/0?db=1", "redis://planted/0#1", "amqp://planted//"),
        *("filesystem://", "filesystem://localhost/planted", "redis://planted:port/0", "planted"),
    ],
)
def test_a_broker_is_nothing_else_and_never_shown(value: str) -> None:
    of = given(value)
    assert of.broker_url("ARENA_THING", "filesystem://localhost") == "filesystem://localhost"
    assert "planted" not in problems(of)


def test_without_a_url_the_database_is_a_file_in_wal_mode() -> None:
    database = given(None).database("ARENA_THING", FALLBACK)
    assert database["NAME"] == FALLBACK
    assert "journal_mode=WAL" in str(database["OPTIONS"])


def test_a_url_names_a_postgresql_database() -> None:
    database = given("postgresql://arena:p%40ss@db.example:5433/board").database("ARENA_THING", FALLBACK)
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
def test_a_url_says_how_the_connection_is_encrypted(query: str, options: dict[str, str]) -> None:
    of = given(f"postgresql://arena:pw@db.example/board?{query}")
    assert of.database("ARENA_THING", FALLBACK)["OPTIONS"] == options


def test_a_database_may_be_reached_by_a_socket() -> None:
    of = given("postgresql://arena@%2Fvar%2Frun%2Fpostgresql/board")
    assert of.database("ARENA_THING", FALLBACK)["HOST"] == "/var/run/postgresql"


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
def test_a_url_that_names_no_database_is_refused_without_its_password(value: str) -> None:
    of = given(value)
    assert of.database("ARENA_THING", FALLBACK)["NAME"] == FALLBACK
    assert "secret" not in problems(of)
