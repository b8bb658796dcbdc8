"""Registers what must happen by itself: groups after a migration, a role for whoever confirms an address."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class PeopleConfig(AppConfig):
    """After `runs` in INSTALLED_APPS, whose permissions the groups are made of."""

    name = "runs.people"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from allauth.account.signals import email_confirmed

        from runs.people import roles, second_factor  # noqa: F401

        post_migrate.connect(roles.make_groups, sender=self, dispatch_uid="runs.people.groups")
        email_confirmed.connect(_make_submitter, dispatch_uid="runs.people.submitter")


def _make_submitter(email_address: Any, **_: Any) -> None:
    """Whoever reads mail there may hand in; who has a role keeps it."""
    from runs.people.rights import Role
    from runs.people.roles import give_role, role_of

    if role_of(email_address.user) == Role.VISITOR:
        give_role(email_address.user, Role.SUBMITTER)
