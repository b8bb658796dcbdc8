"""/healthz: the process responds. /readyz: it can serve requests and accept work, else 503 with the reasons."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from runs import compatibility, disk

BROKER_S = 2.0
log = logging.getLogger(__name__)


@never_cache
@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """Respond without any check: restarting the process would not repair database or broker."""
    return HttpResponse("alive\n", content_type="text/plain; charset=utf-8")


@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    found = {name: _outcome(name, check) for name, check in CHECKS.items()}
    is_ready = all(problem is None for problem in found.values())
    checks = {name: problem or "ok" for name, problem in found.items()}
    return JsonResponse({"ready": is_ready, "checks": checks}, status=200 if is_ready else 503)


def database() -> str | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return None


def migrations() -> str | None:
    if compatibility.incompatibility() is not None:  # its message names a file of this host
        return "the database is of another version: run `manage.py migrate` for instructions"
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return f"{len(waiting)} not applied: run `manage.py migrate`" if waiting else None


def broker() -> str | None:
    if settings.BROKER_URL.startswith("filesystem"):
        _try_to_write(Path(settings.BROKER_FOLDER))
        return None
    with current_app.connection_for_write(connect_timeout=BROKER_S) as link:
        link.ensure_connection(max_retries=1, interval_start=0, timeout=BROKER_S)
        _ = link.default_channel  # connects to the server
    return None


def archive() -> str | None:
    _try_to_write(Path(settings.ARCHIVE_FOLDER))
    return None


def reserve() -> str | None:
    return None if disk.has_room() else disk.shown_room()


CHECKS: Mapping[str, Callable[[], str | None]] = {
    "database": database,
    "migrations": migrations,
    "broker": broker,
    "archive": archive,
    "disk": reserve,
}


def _outcome(name: str, check: Callable[[], str | None]) -> str | None:
    """Run a check; return what is wrong, or None. Errors go only to the log, as they may name hosts and users."""
    try:
        return check()
    except (DatabaseError, OperationalError, OSError) as error:
        log.warning("not ready: %s: %s", name, error)
        return "cannot be reached or written"


def _try_to_write(folder: Path) -> None:
    """Write a temporary file in the folder, which is made if it does not exist."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"ready")
        file.flush()
