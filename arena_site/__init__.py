"""Wiring only: settings, URLs, the Celery app. No rule of the arena lives here."""

from __future__ import annotations

from arena_site.celery import app as celery_app

__all__ = ["celery_app"]
