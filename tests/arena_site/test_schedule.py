"""The scheduler: it sweeps, runs the nightly jobs once, survives failures, and stops at once."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from django.db import OperationalError

from arena_site.operations import schedule
from arena_site.operations.schedule import BACKUPS_KEPT, Scheduler, delete_old_backups, nightly_commands
from evaluator.state import remove_orphans, remove_unfinished

NIGHTLY = [("dump_results",), ("clearsessions",), ("remove_expired",)]
NOW = datetime(2026, 11, 28, 13, tzinfo=UTC)


@pytest.fixture
def state(settings: Any, tmp_path: Path) -> Path:
    settings.STATE, settings.BACKUP_FOLDER, settings.HEARTBEAT_S = tmp_path, "", 0.05
    return tmp_path


@pytest.fixture
def sweeps(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    found: list[None] = []

    def sweep() -> None:
        found.append(None)
        if len(found) == 2:
            raise OperationalError("the database is restarted")

    monkeypatch.setattr(schedule, "sweep", sweep)
    monkeypatch.setattr(schedule.connection, "close", lambda: None)
    return found


def running(work: Scheduler) -> threading.Thread:
    thread = threading.Thread(target=work.run)
    thread.start()
    return thread


def test_it_survives_a_database_outage_runs_the_nightly_jobs_once_and_stops_at_once(
    state: Path, sweeps: list[None]
) -> None:
    commands: list[Sequence[str]] = []
    work = Scheduler(lambda command: bool(commands.append(command)))
    thread = running(work)
    until = monotonic() + 120
    while len(sweeps) < 5 or len(commands) < 3:
        assert monotonic() < until
        sleep(0.01)
    work.stop()
    thread.join(60)
    assert not thread.is_alive()
    assert commands == NIGHTLY, "once, and the others although the first failed"


@pytest.mark.parametrize(
    ("done_before", "is_due"),
    [(None, True), (timedelta(hours=1), False), (timedelta(hours=11), True), (timedelta(days=3), True)],
)
def test_a_night_is_due_once_after_three(state: Path, done_before: timedelta | None, is_due: bool) -> None:
    if done_before is not None:
        (state / "last-night").touch()
        at = (NOW - done_before).timestamp()
        os.utime(state / "last-night", (at, at))
    assert Scheduler()._is_night_due(NOW) is is_due


def test_with_a_folder_for_backups_one_is_made_and_the_oldest_are_deleted(state: Path, settings: Any) -> None:
    settings.BACKUP_FOLDER = str(state / "backups")
    assert nightly_commands(NOW)[-1] == ("backup", str(state / "backups" / "arena-20261128.zip"))
    folder = state / "backups"
    folder.mkdir()
    for day in range(1, 21):
        (folder / f"arena-202611{day:02}.zip").touch()
    (folder / "arena-before-the-move.zip").touch()
    delete_old_backups(folder)
    kept = sorted(path.name for path in folder.iterdir())
    assert kept[:-1] == [f"arena-202611{day:02}.zip" for day in range(21 - BACKUPS_KEPT, 21)]
    assert kept[-1] == "arena-before-the-move.zip"


def test_a_command_runs_in_a_process_of_its_own_and_its_lines_are_logged(
    state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    assert schedule._run_command(["version"]) is True
    assert schedule._run_command(["no_such_command"]) is False
    assert any("version: 5." in line.getMessage() for line in caplog.records)
    assert any("Unknown command" in line.getMessage() for line in caplog.records)


def test_what_killed_processes_left_is_removed_and_nothing_else(
    state: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Temporary folders by the process in their name, unfinished files once they are a day old."""
    temporary, ended = state / "tmp", subprocess.Popen(["true"])
    ended.wait()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    settings.ARCHIVE_FOLDER, settings.BROKER_FOLDER, settings.DUMP_FOLDER, settings.FILE_UPLOAD_TEMP_DIR = (
        state / name for name in ("archive", "broker", "dump", "uploads")
    )
    settings.BACKUP_FOLDER = str(state / "backups")
    left = [temporary / f"arena-{kind}{ended.pid}_x" / "file" for kind in ("", "agent-", "bundle-", "metrics-")]
    left += [state / "archive" / "ab" / "x.part", state / "broker" / "messages" / "1.part", state / "uploads" / "tmpx"]
    left += [state / "broker" / name / "1.msg" for name in ("messages", "taken")]
    left += [state / ".dump-x" / "file", state / "backups" / ".arena-1.zip-x"]
    kept = [temporary / f"arena-agent-{os.getpid()}_x" / "file", temporary / "arena-backup.zip", temporary / "other"]
    kept += [state / "archive" / "ab" / "cd.gz", state / "broker" / "messages" / "2.msg", state / "dump" / "file"]
    kept += [state / "backups" / "arena-1.zip", state / "archive" / "new.part", temporary / f"mine-{ended.pid}_x"]
    for path in (*left, *kept):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    young = {state / "archive" / "new.part", state / "broker" / "messages" / "2.msg"}
    for path in {*left, *(path.parent for path in left), *kept} - young:
        os.utime(path, (0, 0))
    schedule.remove_what_was_left()
    assert [path for path in left if path.exists()] == []
    assert [path for path in kept if not path.exists()] == []


def test_a_folder_that_another_process_removes_first_ends_nothing(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    monkeypatch.setattr(tempfile, "tempdir", str(state))
    monkeypatch.setattr(Path, "glob", lambda folder, pattern: [folder / f"arena-{ended.pid}_gone", folder / "x.part"])
    assert remove_orphans() == []
    assert remove_unfinished(state, "*") == []
