"""Gives a user a role, for a host where no admin can log in yet."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs.people.rights import Role
from runs.people.roles import give_role


class Command(BaseCommand):
    help = "Gives a user a role; /roles/ says what each may do."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")
        parser.add_argument("role", choices=[role.value for role in Role])

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"there is no user {options['user']!r}")
        give_role(user, Role(options["role"]))
        self.stdout.write(f"{user} is {options['role']} now")
