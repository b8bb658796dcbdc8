"""Django's name for the writing side."""

from __future__ import annotations

from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from allauth.account.signals import email_confirmed
        from django.urls import register_converter

        from runs import guards
        from runs.numbers import RowConverter
        from runs.services import accounts, revision

        register_converter(RowConverter, "row")  # before any address is read
        revision.watch()
        guards.watch(self)
        email_confirmed.connect(accounts.welcome, dispatch_uid="runs.welcome")
