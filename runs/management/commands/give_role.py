"""Give a user a role, for a site where no admin can log in yet."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs.errors import RunError
from runs.management.named import row_named
from runs.people.rights import Role
from runs.services import accounts


class Command(BaseCommand):
    help = "Gives a user a role. /roles/ lists what each role may do."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")
        parser.add_argument("role", choices=[role.value for role in Role])
        parser.add_argument("--reason", required=True, help="recorded in the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        user = row_named(User.objects.all(), username=options["user"])
        try:
            accounts.give_role(user=user, role=Role(options["role"]), actor="give_role", reason=options["reason"])
        except RunError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{user} now has the role {options['role']}")
