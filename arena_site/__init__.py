"""The Django project: settings, URLs, the Celery app, monitoring and operations."""

from __future__ import annotations

from arena_site.celery import app as celery_app

__all__ = ["celery_app"]
