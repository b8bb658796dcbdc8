"""Write everything that the site knows into one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena_site.operations.backup import write_backup
from evaluator.wording import counted


class Command(BaseCommand):
    help = "Writes rows and archive into one new file, at one moment, while the site runs; `restore` reads it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"].resolve()
        try:
            summary = write_backup(path)
        except OSError as error:
            raise CommandError(f"no backup was written: {error}") from error
        size_mb = path.stat().st_size / 1e6
        held = f"{counted(summary.rows, 'row')}, {counted(summary.files, 'file')} of the archive"
        self.stdout.write(f"{path}: {held}, {size_mb:.1f} MB")
        self.stdout.write(
            f"Keep it as you keep the database: it holds password hashes, and the secrets of {summary.open_rounds} "
            "rounds that are not revealed. It does not hold the environment file, and with it SECRET_KEY."
        )
        if summary.damaged:
            names = "\n".join(summary.damaged)
            raise CommandError(f"{counted(len(summary.damaged), 'damaged file')} of the archive left out:\n{names}")
