"""Django's name for the writing side."""

from __future__ import annotations

from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from allauth.account.signals import email_confirmed

        from runs import guards
        from runs.services import accounts, revision

        revision.watch()
        guards.watch(self)
        email_confirmed.connect(accounts.welcome, dispatch_uid="runs.welcome")
