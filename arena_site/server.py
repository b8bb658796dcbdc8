"""gunicorn's settings for `make up`, systemd and the container: `gunicorn --config python:arena_site.server`.

They are read once, before processes are forked; an invalid setting stops the start and is named.
"""

from __future__ import annotations

import copy
import os
import resource
import shutil
import sys
import tempfile
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")

from django.conf import settings
from django.db import DatabaseError, connection

from evaluator.state import remove_orphans, temporary_prefix
from runs import compatibility

_OWN = {"level": "INFO", "handlers": [], "propagate": True}


def _logging() -> dict[str, Any]:
    """Return gunicorn's logging settings: Django's, without access lines, as arena.request logs requests."""
    values: dict[str, Any] = copy.deepcopy(settings.LOGGING)
    values["loggers"] |= {"gunicorn.error": dict(_OWN), "gunicorn.access": {**_OWN, "level": "WARNING"}}
    return values


wsgi_app = "arena_site.wsgi"
worker_class = "arena_site.web_process.WebProcess"
bind = f"{settings.LISTEN}:{settings.PORT}"
workers = settings.WEB_PROCESSES
threads = settings.WEB_THREADS
preload_app = True
control_socket_disable = True  # unused
graceful_timeout = 5
logconfig_dict = _logging()

# Each process has worker_connections clients (1000), and files for what slow ones have not read; a shell allows 1024.
_soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (max(_soft, min(_hard, 8192)), _hard))

remove_orphans()
# The processes write their metrics here; prometheus_client reads the variable when wsgi_app is imported.
_folder = tempfile.mkdtemp(prefix=temporary_prefix("metrics"))
os.environ["PROMETHEUS_MULTIPROC_DIR"] = _folder


def on_starting(server: object) -> None:
    """Exit before the first fork if the database is of another version."""
    try:
        why = compatibility.incompatibility()
    except DatabaseError:
        return  # it may come back; until then /readyz reports it
    finally:
        connection.close()
    if why is not None:
        on_exit(server)
        sys.stderr.write(f"cannot start: {why}\n")
        sys.exit(compatibility.EXIT_CODE)


def on_exit(server: object) -> None:
    shutil.rmtree(_folder, ignore_errors=True)
