"""Remove uploads of submissions that were rejected long ago, and files of the archive that were never finished."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from evaluator.wording import counted
from runs.services.expiry import remove_expired


class Command(BaseCommand):
    help = "Removes uploads that were rejected long ago, or that no submission names. `beat` does this every night."

    def handle(self, *args: Any, **options: Any) -> None:
        expired, removed = remove_expired()
        self.stdout.write(f"{counted(expired, 'rejected submission')} expired, {counted(removed, 'file')} removed")
