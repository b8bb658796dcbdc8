"""gunicorn's settings, for `make up`, systemd and the container alike: `gunicorn --config python:arena_site.server`.

Read once, before the processes are forked; an odd setting ends it here, with its name.
"""

from __future__ import annotations

import copy
import os
import shutil
import sys
import tempfile
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")

from django.conf import settings
from django.db import DatabaseError, connection

from runs import compatibility

_OWN = {"level": "INFO", "handlers": [], "propagate": True}


def _logging() -> dict[str, Any]:
    """gunicorn's lines go where ours go; it needs no line a request, since arena.request writes one."""
    values: dict[str, Any] = copy.deepcopy(settings.LOGGING)
    values["loggers"] |= {"gunicorn.error": dict(_OWN), "gunicorn.access": {**_OWN, "level": "WARNING"}}
    return values


wsgi_app = "arena_site.wsgi"
bind = f"{settings.LISTEN}:{settings.PORT}"
workers = settings.WEB_PROCESSES
threads = settings.WEB_THREADS
preload_app = True
control_socket_disable = True  # nobody asks it anything
graceful_timeout = 5
logconfig_dict = _logging()

# Here the processes count what monitoring.metrics adds up; it reads this variable when wsgi_app imports it.
_folder = tempfile.mkdtemp(prefix="arena-metrics-")
os.environ["PROMETHEUS_MULTIPROC_DIR"] = _folder


def on_starting(server: object) -> None:
    """End before the first fork where another version made the database."""
    try:
        why = compatibility.incompatibility()
    except DatabaseError:
        return  # it may come back; until then /readyz says that it is away
    finally:
        connection.close()
    if why is not None:
        on_exit(server)
        sys.stderr.write(f"cannot start: {why}\n")
        sys.exit(compatibility.EXIT_CODE)


def on_exit(server: object) -> None:
    shutil.rmtree(_folder, ignore_errors=True)
