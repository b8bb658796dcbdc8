"""The app of accounts, which creates the roles' groups after each migration."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class PeopleConfig(AppConfig):
    """Listed after `runs` in INSTALLED_APPS, because its groups need the permissions of `runs`."""

    name = "runs.people"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from runs.people import roles, second_factor  # noqa: F401

        post_migrate.connect(roles.make_groups, sender=self, dispatch_uid="runs.people.groups")
