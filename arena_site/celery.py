"""The Celery app. A message only wakes a worker: the row in the database is the queue of record (design §8)."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")

app = Celery("arena")
app.config_from_object("arena_site.celeryconfig")  # by name: read when first needed, after Django's settings
app.autodiscover_tasks(["runs.worker"], related_name="jobs")
