"""The web server's door."""

from __future__ import annotations

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
application = get_wsgi_application()
import_module(settings.ROOT_URLCONF)  # once, before gunicorn forks: a first reader waited 0.8 s for it
gc.collect()
gc.freeze()  # what is loaded stays: to look through its 155,000 objects stopped a request for 80 ms now and then
