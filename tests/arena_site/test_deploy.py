"""The files in deploy/: the table of settings, the systemd units and the compose file match the code."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands

from arena_site.environment import DEFAULT_AGENT_SECRETS, Variable
from arena_site.settings import env
from evaluator.sandbox import bubblewrap
from tests.conftest import lacking

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
EXAMPLES = ["arena.env.example", "worker.env.example", "compose.env.example"]
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OF_COMPOSE = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD", "REDISCLI_AUTH", "REDIS_PASSWORD"}
KEYS = {  # of the compose specification, as far as they are used here
    *("build", "image", "restart", "environment", "volumes", "depends_on", "security_opt", "cap_drop", "command"),
    *("ports", "healthcheck", "stop_grace_period", "env_file"),
}


def table() -> dict[str, list[str]]:
    rows = re.findall(
        r"^\| `([A-Z_]+)` \| (.+) \| (.+) \| (.+) \|$",
        (DEPLOY.parent / "docs" / "settings.md").read_text(),
        re.MULTILINE,
    )
    return {name: cells for name, *cells in rows}


def default_of(variable: Variable) -> str:
    shown = variable.default.replace(str(settings.STATE), "ARENA_STATE/site").replace(
        str(settings.BASE_DIR), "CHECKOUT"
    )
    return f"`{shown}`" if shown else "none"


def test_the_table_of_settings_lists_those_that_the_code_reads() -> None:
    read = {name: [default_of(one), one.allowed] for name, one in env.read.items()}
    assert {name: cells[1:] for name, cells in table().items()} == read
    assert list(table()) == sorted(table())


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_of_an_environment_file_names_settings_and_no_secret(name: str) -> None:
    lines = [line for line in (DEPLOY / name).read_text().splitlines() if not line.startswith("#")]
    values = dict(line.split("=", 1) for line in lines)
    assert set(values) <= set(env.read) | set(DEFAULT_AGENT_SECRETS) | OF_COMPOSE
    secrets = {one: value for one, value in values.items() if re.search("KEY|TOKEN|PASSWORD", one)}
    assert set(secrets.values()) == {""}
    assert all(":PASSWORD@" in value for one, value in values.items() if one in ("DATABASE_URL", "BROKER_URL"))


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_reads_every_line_of_a_unit(path: Path, tmp_path: Path) -> None:
    """The checkout's path replaces /opt/arena, since systemd-analyze looks for the programs."""
    if shutil.which("systemd-analyze") is None:
        lacking("systemd-analyze is not there")
    unit = tmp_path / path.name.replace("@.", "@near.")
    unit.write_text(path.read_text().replace("/opt/arena", str(settings.BASE_DIR)))
    ended = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout + ended.stderr) == (0, "")


def test_a_unit_with_a_line_that_systemd_does_not_know_would_be_noticed(tmp_path: Path) -> None:
    broken = tmp_path / "arena-web.service"
    broken.write_text(UNITS[1].read_text().replace("Restart=", "Restrat="))
    with pytest.raises(AssertionError, match="Restrat"):
        test_systemd_reads_every_line_of_a_unit(broken, tmp_path)


@pytest.mark.parametrize("path", [*UNITS, DEPLOY / "compose.yaml"], ids=lambda path: path.name)
def test_a_file_that_was_not_run_says_so_at_its_head(path: Path) -> None:
    head = " ".join(line.strip("# ") for line in path.read_text().splitlines() if line.startswith("#"))
    assert "not run by its authors" in head
    assert "not run where they were written" in (DEPLOY / "README.md").read_text().replace("neither was run", "not run")


@pytest.mark.parametrize("text", [path.read_text() for path in UNITS], ids=[path.name for path in UNITS])
def test_a_unit_starts_an_existing_command_as_an_unprivileged_user(text: str) -> None:
    assert "\nUser=arena\n" in text
    assert "\nNoNewPrivileges=yes\n" in text
    for command in re.findall(r"manage\.py (\w+)", text):
        assert command in get_commands()
    assert re.findall(r"^Exec\w+=(\S+)", text, re.MULTILINE)[0] == "/opt/arena/.venv/bin/python"


FORBIDDEN = {  # by what confines a unit: system calls by their number on x86-64 and aarch64
    "NoNewPrivileges": [],
    "LockPersonality": [(135, 92)],
    "RestrictSUIDSGID": [(437, 437)],  # openat2; others by the bits that they set
    "ProtectHostname": [(170, 161), (171, 162)],
}
MOUNTED = {"PrivateTmp", "ProtectSystem", "ProtectHome"}  # over folders of which a sandbox reads nothing, or read-only
UNDER = """
import ctypes, errno, json, platform, sys
from evaluator.inside import seccomp
from evaluator.sandbox import bubblewrap
ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
column = list(seccomp.AUDIT_ARCH).index(platform.machine())
begin = seccomp._only(seccomp.AUDIT_ARCH[platform.machine()])
refused = [step for numbers in json.loads(sys.argv[1]) for step in seccomp._refuse(numbers[column], errno.EPERM)]
seccomp._program = lambda machine, guarded: [*begin, *refused, (seccomp.RETURN, 0, 0, seccomp.ALLOW)]
assert seccomp.install([])
print(bubblewrap.refusal())
"""


def refusal_under(names: set[str]) -> str:
    """What the trial of a sandbox says in a process that these directives confine."""
    if bubblewrap.refusal():
        lacking("bubblewrap does not work here")
    calls = json.dumps([numbers for name in names for numbers in FORBIDDEN[name]])
    ended = subprocess.run([sys.executable, "-c", UNDER, calls], capture_output=True, text=True, check=True)
    return ended.stdout.strip()


def test_a_worker_in_its_unit_can_start_a_sandbox_and_finds_out_first() -> None:
    """There is no systemd here that could start the unit, so system calls are forbidden as it would."""
    text = (DEPLOY / "systemd" / "arena-worker@.service").read_text()
    confining = re.findall(
        r"^((?:NoNew|Private|Protect|Proc|Restrict|Lock|SystemCall|Capab|Memory|Device)\w+)=", text, re.MULTILINE
    )
    names = {name for name in confining if not name.startswith("RestartPrevent")}
    assert names <= {*FORBIDDEN, *MOUNTED} - {"ProtectHostname"}
    assert refusal_under(names - MOUNTED) == "None"
    assert "hostname" in refusal_under({"ProtectHostname"})
    assert re.search(r"^ExecStartPre=\S+ -m evaluator doctor .*--sandbox bubblewrap$", text, re.MULTILINE)


def test_a_worker_on_another_host_gets_the_settings_of_mail_and_budget() -> None:
    shared = {"SITE_URL", "ARENA_DAY_CAP_USD", *(name for name in env.read if name.startswith("EMAIL_"))}
    for name in EXAMPLES:
        assert shared <= set(re.findall(r"^(\w+)=", (DEPLOY / name).read_text(), re.MULTILINE)), name
    assert shared <= set(SERVICES["worker"]["environment"])


def test_an_agents_key_is_given_to_the_worker_whatever_its_name_and_to_nothing_that_listens() -> None:
    """`prepare` reads the whole file, too, so as to refuse names that are no setting, and ends."""
    assert {name for name, service in SERVICES.items() if service.get("env_file") == ".env"} == {"prepare", "worker"}
    assert not set(DEFAULT_AGENT_SECRETS) & set(re.findall(r"\w+", str(COMPOSE)))
    assert (SERVICES["prepare"]["restart"], "ports" in SERVICES["worker"]) == ("no", False)
    assert all("ARENA_AGENT_SECRETS" in SERVICES[name]["environment"] for name in ("web", "worker", "prepare"))


def test_the_compose_file_has_all_services_of_a_site() -> None:
    assert set(SERVICES) == {"prepare", "web", "beat", "worker", "postgres", "redis"}
    assert set(COMPOSE) == {"name", "x-arena", "services", "volumes"}
    for name, service in SERVICES.items():
        assert set(service) <= KEYS, name
        assert re.fullmatch(r"arenaboard:local|(postgres|redis):\d+\.[\d.]+-bookworm", service["image"]), name
        assert {volume.split(":")[0] for volume in service.get("volumes", [])} <= set(COMPOSE["volumes"])
        assert set(service.get("depends_on", {})) <= set(SERVICES)
        for other, wanted in service.get("depends_on", {}).items():
            condition = "service_completed_successfully" if other == "prepare" else "service_healthy"
            assert wanted == {"condition": condition}
            assert other == "prepare" or "healthcheck" in SERVICES[other]


def test_the_compose_file_sets_what_the_code_reads_and_holds_no_secret() -> None:
    ours = [service for service in SERVICES.values() if "build" in service]
    for service in ours:
        assert set(service["environment"]) <= set(env.read)
        assert {"SECRET_KEY", "DATABASE_URL", "BROKER_URL"} <= set(service["environment"])
    text = (DEPLOY / "compose.yaml").read_text()
    filled = set(re.findall(r"\$\{(\w+)", text))
    assert filled <= set(env.read) | OF_COMPOSE
    assert all(re.search(rf"\$\{{{name}:\?", text) for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD"))
    example = re.findall(r"^(\w+)=", (DEPLOY / "compose.env.example").read_text(), re.MULTILINE)
    assert (
        {"SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD", "SITE_URL", "HTTPS"}
        <= set(example)
        <= {*filled, *DEFAULT_AGENT_SECRETS}
    )


def test_a_setting_in_the_file_beside_the_compose_file_reaches_the_services() -> None:
    """And what is left empty has the default of docs/settings.md; PORT and ARENA_LISTEN say where the host listens."""
    for name in {*env.read} - {"PORT", "ARENA_LISTEN"}:
        for service in ("prepare", "web", "beat", "worker"):
            value = SERVICES[service]["environment"].get(name, "")
            assert re.match(rf"\$\{{{name}:[-?]", value), f"{service}: {name}"
    assert "${ARENA_LISTEN:-127.0.0.1}:${PORT:-8000}:8000" in SERVICES["web"]["ports"]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_gives_its_process_every_setting(path: Path) -> None:
    text = path.read_text()
    assert re.search(r"^EnvironmentFile=/etc/arena/arena\.env$", text, re.MULTILINE)
    assert set(re.findall(r"^Environment=(\w+)=", text, re.MULTILINE)) <= {"ARENA_HOST"}


def test_a_container_starts_a_command_that_exists_and_only_the_web_server_listens() -> None:
    for service in SERVICES.values():
        for command in re.findall(r"manage\.py[ ,]+(\w+)", " ".join(service.get("command", []))):
            assert command in get_commands()
    assert {name: service["ports"] for name, service in SERVICES.items() if "ports" in service} == {
        "web": ["${ARENA_LISTEN:-127.0.0.1}:${PORT:-8000}:8000"]
    }
    assert "/readyz" in str(SERVICES["web"]["healthcheck"])
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    assert "python:arena_site.server" in dockerfile
    assert "\nUSER arena\n" in dockerfile
    assert set(re.findall(r"\b([A-Z]+_[A-Z]+)=", dockerfile)) - {"PYTHONUNBUFFERED"} <= set(env.read)


def test_units_named_in_the_readme_exist() -> None:
    readme = (DEPLOY / "README.md").read_text()
    for command in re.findall(r"\bmanage ([a-z_]+)", readme):
        assert command in get_commands(), command
    for name in re.findall(r"deploy/([\w.@/-]+\.(?:example|service))", readme):
        assert (DEPLOY / name).is_file(), name
