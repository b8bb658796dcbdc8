"""Second factors from the shell: print the current code of a secret, or reset a lost second factor.

Whoever has this shell has the database and SECRET_KEY, so it gives away nothing more.
"""

from __future__ import annotations

import time
from typing import Any

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs.management.named import row_named
from runs.services import accounts


class Command(BaseCommand):
    help = "Prints the current code of a secret, or resets the second factor of a user who lost the device."

    def add_arguments(self, parser: CommandParser) -> None:
        asked = parser.add_mutually_exclusive_group(required=True)
        asked.add_argument("--secret", help="print the current code of this secret, as the set-up page shows it")
        asked.add_argument("--reset", metavar="USER", help="remove it, so that the next login sets up a new one")
        parser.add_argument("--reason", default="lost device", help="recorded in the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        secret, name = options["secret"], options["reset"]
        self.stdout.write(_code(secret) if secret else _reset(name, options["reason"]))


def _code(secret: str) -> str:
    try:
        return str(format_hotp_value(hotp_value(secret.replace(" ", ""), int(time.time()) // settings.MFA_TOTP_PERIOD)))
    except ValueError as error:
        raise CommandError("not a secret: the set-up page shows 32 letters and digits") from error


def _reset(name: str, reason: str) -> str:
    user = row_named(User.objects.all(), username=name)
    had_one = accounts.reset_second_factor(user=user, actor="second_factor", reason=reason)
    return f"{name} sets up a new second factor at the next login" if had_one else f"{name} had no second factor"
