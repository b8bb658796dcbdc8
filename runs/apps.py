"""Django's name for the writing side."""

from __future__ import annotations

from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from allauth.account.signals import email_confirmed
        from django.db.models.signals import pre_migrate
        from django.urls import register_converter

        from runs import compatibility, guards
        from runs.numbers import RowConverter
        from runs.services import accounts, revision

        register_converter(RowConverter, "row")  # before any address is read
        revision.watch()
        pre_migrate.connect(compatibility.refuse_incompatible, sender=self, dispatch_uid="runs.compatibility")
        guards.watch(self)  # after it: the guards of a refused database stay
        email_confirmed.connect(accounts.welcome, dispatch_uid="runs.welcome")
