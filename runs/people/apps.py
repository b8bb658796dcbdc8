"""Registers what must happen by itself: groups after a migration."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class PeopleConfig(AppConfig):
    """After `runs` in INSTALLED_APPS, whose permissions the groups are made of."""

    name = "runs.people"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from runs.people import roles, second_factor  # noqa: F401

        post_migrate.connect(roles.make_groups, sender=self, dispatch_uid="runs.people.groups")
