"""Remove uploads of submissions that were rejected long ago, and stored files that no row names."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluator.wording import counted
from runs.errors import RunError
from runs.services.expiry import remove_expired


class Command(BaseCommand):
    help = "Removes uploads that were rejected long ago, and files that no row names. `beat` does this every night."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            expired, removed = remove_expired()
        except RunError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{counted(expired, 'rejected submission')} expired, {counted(removed, 'file')} removed")
