"""A database that another version made is refused in one sentence, wherever it is opened to work with, unchanged."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from arena_site.monitoring import health
from runs import compatibility, guards
from scripts import up
from tests.runs.raw_rows import triggers

ROOT = Path(__file__).parents[2]
OLD = ("0002_device_clock_and_quarantine", "0003_task_intervals")
MISSING = (
    r"another version of ArenaBoard made this database.*missing here: runs/0002_device_clock_and_quarantine and 1 more"
)
MOVE = r"move \S+ away" if connection.vendor == "sqlite" else "name a new database in DATABASE_URL"


@pytest.fixture
def old(db: None) -> None:
    for name in OLD:
        MigrationRecorder(connection).record_applied("runs", name)


@pytest.mark.parametrize("command", ["migrate", "worker", "beat"])
def test_a_command_that_needs_the_rows_says_what_to_do(old: None, command: str) -> None:
    with pytest.raises(CommandError, match=f"(?s){MISSING}.*{MOVE}.*run `make up`") as refused:
        call_command(command, verbosity=0)
    assert refused.value.returncode == 3


def test_a_refused_database_keeps_its_guards(old: None) -> None:
    with pytest.raises(CommandError):
        call_command("migrate", verbosity=0)
    assert triggers() == {guard.name for guard in guards.guards()}


def test_make_up_does_not_start(old: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert not up.is_prepared()
    said = capsys.readouterr().err
    assert said.startswith("cannot start: another version of ArenaBoard made this database")
    assert said.count("\n") == 1


def test_readiness_names_it_without_telling_where_the_database_is(old: None) -> None:
    assert health.migrations() == "the database is of another version: run `manage.py migrate` for instructions"


def test_migrations_of_other_packages_are_their_own_business(db: None) -> None:
    MigrationRecorder(connection).record_applied("mfa", "0099_of_a_newer_allauth")
    assert compatibility.incompatibility() is None


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the file is compared byte for byte")
@pytest.mark.slow
def test_no_process_changes_the_file_and_each_ends_with_3(tmp_path: Path) -> None:
    environment = os.environ | {"ARENA_STATE": str(tmp_path), "DJANGO_SETTINGS_MODULE": "arena_site.settings"}
    environment.pop("DATABASE_URL", None)
    file = tmp_path / "site" / "db.sqlite3"
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=environment, check=True)
    with sqlite3.connect(file) as database:
        for name in OLD:
            database.execute(
                "INSERT INTO django_migrations (app, name, applied) VALUES ('runs', ?, '2026-11-28')", [name]
            )
    database.close()
    before = file.read_bytes()
    web = ["-m", "gunicorn", "--config", "python:arena_site.server", "--bind", "127.0.0.1:0"]
    for command in (["manage.py", "migrate"], ["manage.py", "worker"], ["scripts/up.py"], web):
        done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode == 3, command
        assert f"move {file} away" in done.stderr
        assert file.read_bytes() == before
        assert sorted(file.parent.glob("db.sqlite3*")) == [file], "nothing is left in a journal"
