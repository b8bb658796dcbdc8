"""A token for a program that hands in bundles for a user; printed once, kept as a hash."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs.errors import RunError
from runs.management.named import row_named
from runs.models import ApiToken
from runs.services import tokens


class Command(BaseCommand):
    help = "Makes a token with which a program hands in bundles for a user."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--name", default="shell", help="what it is for")
        parser.add_argument("--days", type=int, default=90)
        parser.add_argument("--scope", choices=ApiToken.Scope.values, default=ApiToken.Scope.SUBMIT.value)
        parser.add_argument("--reason", default="from the shell", help="why; it stands in the trail")

    def handle(self, *args: Any, **options: Any) -> None:
        user = row_named(User.objects.all(), username=options["user"])
        try:
            asked = {name: options[name] for name in ("name", "days", "scope", "reason")}
            row, text = tokens.make_token(user=user, actor="make_token", **asked)
        except RunError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"valid until {row.expires_at:%Y-%m-%d}, shown once:\n{text}")
