"""Make a site of a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena_site.operations.restoration import RestoreError, restore_backup
from evaluator.wording import counted


class Command(BaseCommand):
    help = "Reads what `backup` wrote into a new database, after `migrate` and with the site stopped: all or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            manifest = restore_backup(options["file"].resolve())
        except RestoreError as error:
            raise CommandError(str(error)) from error
        held = f"{counted(manifest.rows, 'row')} and {counted(len(manifest.files), 'file')}"
        self.stdout.write(f"restored {held}, of {manifest.made_at}")
        if manifest.damaged:
            self.stdout.write(
                f"{counted(len(manifest.damaged), 'file')} of the archive, damaged before the backup was made"
            )
