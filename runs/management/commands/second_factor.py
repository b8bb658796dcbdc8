"""A second factor from the shell: the code of a secret where no authenticator is at hand; a way back for a lost one.

Whoever has this shell has the database and the secret key; this gives them nothing more.
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
    help = "Prints the code of a secret, or lets a user who lost the device make a new second factor."

    def add_arguments(self, parser: CommandParser) -> None:
        asked = parser.add_mutually_exclusive_group(required=True)
        asked.add_argument("--secret", help="as the page shows it: print the code of this moment")
        asked.add_argument("--forget", metavar="USER", help="the next login makes a new one; wrong tries are forgiven")
        parser.add_argument("--reason", default="lost device", help="why; it stands in the trail")

    def handle(self, *args: Any, **options: Any) -> None:
        secret, name = options["secret"], options["forget"]
        self.stdout.write(_code(secret) if secret else _forget(name, options["reason"]))


def _code(secret: str) -> str:
    try:
        return str(format_hotp_value(hotp_value(secret.replace(" ", ""), int(time.time()) // settings.MFA_TOTP_PERIOD)))
    except ValueError as error:
        raise CommandError("that is no secret: the page shows 32 letters and digits") from error


def _forget(name: str, reason: str) -> str:
    user = row_named(User.objects.all(), username=name)
    had_one = accounts.forget_second_factor(user=user, actor="second_factor", reason=reason)
    return f"{name} makes a new second factor at the next login" if had_one else f"{name} had none"
