"""The app of the project itself, which registers the system checks."""

from __future__ import annotations

from django.apps import AppConfig


class ArenaSiteConfig(AppConfig):
    name = "arena_site"

    def ready(self) -> None:
        from arena_site import checks  # noqa: F401
