"""The scheduler: a sweep every second or so, and once a night the dump, the removal of what expired, and a backup.

Each nightly command runs in a process of its own, which frees its memory, and whose failure affects nothing else.
"""

from __future__ import annotations

import logging
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection

from evaluator.state import remove_orphans, remove_unfinished
from runs.worker.sweeper import SWEEP_BEATS, sweep

NIGHT_HOUR = 3  # in UTC; a scheduler that was not running catches up when it starts
LAST_NIGHT = "last-night"  # a file in the site's state folder, changed when a night's work begins
BACKUPS_KEPT = 14
_BACKUP = re.compile(r"arena-\d{8}\.zip")
log = logging.getLogger(__name__)


class Scheduler:
    """Runs the periodic jobs of a site, until `stop` is called."""

    def __init__(self, run_command: Callable[[Sequence[str]], bool] | None = None) -> None:
        self._ended = threading.Event()
        self._run_command = run_command or _run_command
        self._night: threading.Thread | None = None
        self._mark = Path(settings.STATE) / LAST_NIGHT

    def stop(self, *about: object) -> None:
        self._ended.set()

    def run(self) -> None:
        while not self._ended.wait(SWEEP_BEATS * settings.HEARTBEAT_S):
            try:
                sweep()
            except DatabaseError as error:  # the database may come back
                log.warning("sweep failed: %s", error)
                connection.close()
            if self._is_night_due(datetime.now(UTC)) and (self._night is None or not self._night.is_alive()):
                self._night = threading.Thread(target=self.run_nightly_jobs, name="night", daemon=True)
                self._night.start()

    def run_nightly_jobs(self) -> None:
        """Run the nightly commands. Failures are logged; the next attempt is in the next night."""
        now = datetime.now(UTC)
        self._mark.write_text(f"{now.isoformat(timespec='seconds')}\n", encoding="ascii")
        if settings.BACKUP_FOLDER:
            Path(settings.BACKUP_FOLDER).mkdir(parents=True, exist_ok=True, mode=0o700)
        for command in nightly_commands(now):
            log.info("%s %s", command[0], "finished" if self._run_command(command) else "FAILED")
        if settings.BACKUP_FOLDER:
            delete_old_backups(Path(settings.BACKUP_FOLDER))
        remove_what_was_left()

    def _is_night_due(self, now: datetime) -> bool:
        begins = now.replace(hour=NIGHT_HOUR, minute=0, second=0, microsecond=0)
        last = begins if now >= begins else begins - timedelta(days=1)
        done = datetime.fromtimestamp(self._mark.stat().st_mtime, UTC) if self._mark.exists() else None
        return done is None or done < last


def nightly_commands(now: datetime) -> list[tuple[str, ...]]:
    """Return the management commands of a night, each with its arguments."""
    commands: list[tuple[str, ...]] = [("dump_results",), ("clearsessions",), ("remove_expired",)]
    if settings.BACKUP_FOLDER:
        commands.append(("backup", str(Path(settings.BACKUP_FOLDER) / f"arena-{now:%Y%m%d}.zip")))
    return commands


def remove_what_was_left() -> None:
    """Remove temporary folders and unfinished files of processes that were killed, and messages that nobody read."""
    removed = remove_orphans()
    for folder, pattern in (
        (Path(settings.ARCHIVE_FOLDER), "**/*.part"),
        (Path(settings.BROKER_FOLDER), "messages/*"),  # those that no worker reads, too: they live for HINT_S
        (Path(settings.BROKER_FOLDER), "taken/*"),
        (Path(settings.DUMP_FOLDER).parent, f".{settings.DUMP_FOLDER.name}-*"),
        (Path(settings.FILE_UPLOAD_TEMP_DIR), "*"),
        *([(Path(settings.BACKUP_FOLDER), ".arena-*.zip-*")] if settings.BACKUP_FOLDER else []),
    ):
        removed += remove_unfinished(folder, pattern)
    for path in removed:
        log.info("%s was left over, and is removed", path)


def delete_old_backups(folder: Path) -> None:
    """Delete all but the newest BACKUPS_KEPT backups; files with other names stay."""
    ours = sorted(path for path in folder.glob("*.zip") if _BACKUP.fullmatch(path.name))
    for path in ours[:-BACKUPS_KEPT]:
        path.unlink()


def _run_command(command: Sequence[str]) -> bool:
    """Run a management command and log its output; return whether it succeeded."""
    ended = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    for line in ended.stdout.splitlines():
        log.info("%s: %s", command[0], line)
    return ended.returncode == 0
