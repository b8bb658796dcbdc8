"""Create the user `admin` with a random password, which is printed once."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from runs.people.rights import Role
from runs.services import accounts

PASSWORD_BYTES = 15  # 20 characters


class Command(BaseCommand):
    help = "Creates the user `admin` with all rights, unless it exists, and prints its password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reset", action="store_true", help="give it a new password")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username="admin").first()
        if user is not None and not options["reset"]:
            self.stdout.write("admin exists already; `manage.py make_admin --reset` gives it a new password")
            return
        password = secrets.token_urlsafe(PASSWORD_BYTES)
        asked = {"actor": "make_admin", "reason": "from the shell"}
        if user is None:
            user = accounts.make_account(username="admin", password=password, **asked)
            accounts.give_role(user=user, role=Role.ADMIN, **asked)
        else:
            accounts.set_password(user=user, password=password, **asked)
        self.stdout.write(f"password of admin, shown only once: {password}")
