"""Create the user `admin` with a random password, which is printed once and stored nowhere."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser

PASSWORD_BYTES = 15  # 20 characters


class Command(BaseCommand):
    help = "Creates the superuser admin, if there is none of that name, and prints its password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reset", action="store_true", help="give it a new password")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username="admin").first()
        if user is not None and not options["reset"]:
            self.stdout.write("admin exists already; `manage.py make_admin --reset` gives it a new password")
            return
        password = secrets.token_urlsafe(PASSWORD_BYTES)
        if user is None:
            User.objects.create_superuser("admin", password=password)
        else:
            user.set_password(password)
            user.save(update_fields=["password"])
        self.stdout.write(f"admin's password, shown this once: {password}")
