"""The Celery app. Messages only notify workers: the queue itself is in the database (design §8)."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")

app = Celery("arena")
app.config_from_object("arena_site.celeryconfig")  # by name, so that it is imported after Django's settings
app.autodiscover_tasks(["runs.worker"], related_name="jobs")
