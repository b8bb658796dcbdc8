"""`manage.py restore`: restore a site from a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena_site.operations.restoration import RestoreError, restore_backup
from evaluator.wording import counted


class Command(BaseCommand):
    help = "Restore a file written by `backup` into a new database, after `migrate`, while the site is stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            manifest = restore_backup(options["file"].resolve())
        except RestoreError as error:
            raise CommandError(str(error)) from error
        held = f"{counted(manifest.rows, 'row')} and {counted(len(manifest.files), 'archived file')}"
        self.stdout.write(f"Restored {held} from the backup of {manifest.made_at}.")
        if manifest.lost:
            lost = counted(len(manifest.lost), "archived file")
            self.stdout.write(f"Missing, as missing or damaged before the backup: {lost}.")
