"""The WSGI application."""

from __future__ import annotations

import gc
import os
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
LOCK_S = 5  # a page waits that long for SQLite's lock and then says 503 (unavailable.py); a worker waits longer
_options: Any = settings.DATABASES["default"]["OPTIONS"]
if "timeout" in _options:
    _options["timeout"] = LOCK_S
application = get_wsgi_application()
import_module(settings.ROOT_URLCONF)  # before gunicorn forks: the first request would wait 0.8 s for it
gc.collect()
gc.freeze()  # the garbage collector would pause requests for 80 ms to scan 155,000 objects
