"""System checks of the settings and folders that the site needs, run by `manage.py check` and at every start."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from evaluator.tasks.spec import tasks_folder
from runs import disk

REAL_EVALUATOR = "runs.worker.device.Device"


@register()
def tasks_are_readable(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    folder = tasks_folder()
    if folder.is_dir() and os.access(folder, os.R_OK | os.X_OK):
        return []
    return [Error(f"the tasks folder {folder} cannot be read", hint="Set ARENA_TASKS.", id="arena.E001")]


@register()
def state_is_writable(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    folders = [settings.STATE, settings.ARCHIVE_FOLDER]
    if settings.BROKER_URL.startswith("filesystem"):
        folders.append(settings.BROKER_FOLDER)
    return [
        Error(f"{folder} is not writable", hint="Set ARENA_STATE to a writable folder.", id="arena.E002")
        for folder in folders
        if not _is_writable(Path(folder))
    ]


@register()
def reserve_is_not_near(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn while there is time to make room: below the reserve uploads are refused and workers take no work."""
    if disk.free_bytes() >= disk.NEAR * disk.reserve_bytes():
        return []
    hint = "Move backups, dumps or the archive to a larger disk, or take down what is not needed."
    return [Warning(f"the disk is nearly full: {disk.shown_room()}", hint=hint, id="arena.W002")]


@register()
def evaluator_is_real(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn about a fake evaluator, whose verdicts have no meaning; only tests use one."""
    if settings.EVALUATOR == REAL_EVALUATOR:
        return []
    return [
        Warning(
            f"the evaluator is replaced by {settings.EVALUATOR}, so results have no meaning",
            hint="Unset ARENA_EVALUATOR, which is for tests only.",
            id="arena.W001",
        )
    ]


@register()
def mail_links_lead_here(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn about mail whose links work on this machine only."""
    host = urlsplit(settings.SITE_URL).hostname
    if not settings.EMAIL_HOST or host not in ("localhost", "127.0.0.1", "::1"):
        return []
    return [
        Warning(
            f"mail is sent, and its links begin with {settings.SITE_URL}, which its readers cannot reach",
            hint="Set SITE_URL to the address under which this site is reached.",
            id="arena.W003",
        )
    ]


@register()
def debug_is_off(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    outside = [host for host in settings.ALLOWED_HOSTS if host not in ("localhost", "127.0.0.1", "[::1]", "testserver")]
    if not settings.DEBUG or not outside:
        return []
    return [
        Error(
            f"DEBUG is on and ALLOWED_HOSTS allows {', '.join(outside)}",
            hint="Unset DEBUG: its error pages show settings and source code.",
            id="arena.E003",
        )
    ]


def _is_writable(path: Path) -> bool:
    """Return whether the folder, or its nearest existing parent, is writable."""
    while not path.exists():
        path = path.parent
    return path.is_dir() and os.access(path, os.W_OK | os.X_OK)
