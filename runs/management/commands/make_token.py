"""Create an API token for a user; it is printed once and stored as a hash."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs.errors import RunError
from runs.management.named import row_named
from runs.models import ApiToken
from runs.services import tokens


class Command(BaseCommand):
    help = "Creates a token with which a program submits bundles for a user."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")
        parser.add_argument("--name", default="shell", help="what the token is for")
        parser.add_argument("--days", type=int, default=90, help="until it expires (default 90)")
        parser.add_argument("--scope", choices=ApiToken.Scope.values, default=ApiToken.Scope.SUBMIT.value)
        parser.add_argument("--reason", default="from the shell", help="recorded in the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        user = row_named(User.objects.all(), username=options["user"])
        try:
            asked = {name: options[name] for name in ("name", "days", "scope", "reason")}
            row, text = tokens.make_token(user=user, actor="make_token", **asked)
        except RunError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"valid until {row.expires_at:%Y-%m-%d}, shown only once:\n{text}")
