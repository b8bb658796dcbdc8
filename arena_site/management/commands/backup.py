"""`manage.py backup`: write all data of the site to one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena_site.operations.backup import write_backup
from evaluator.wording import counted


class Command(BaseCommand):
    help = "Write database and archive to one new file. The site may be running. `restore` reads the file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"].resolve()
        try:
            summary = write_backup(path)
        except OSError as error:
            raise CommandError(f"The backup was not written: {error}") from error
        size_mb = path.stat().st_size / 1e6
        held = f"{counted(summary.rows, 'row')}, {counted(summary.files, 'archived file')}"
        self.stdout.write(f"{path}: {held}, {size_mb:.1f} MB")
        self.stdout.write(
            "Keep this file as secret as the database: it contains password hashes, and the secrets of "
            f"{counted(summary.open_rounds, 'round')} not yet revealed. It does not contain the environment file with "
            "SECRET_KEY."
        )
        told = [
            f"{counted(len(names), what, f'{what}s')}:\n" + "\n".join(names)
            for what, names in (("damaged archived file", summary.damaged), ("missing archived file", summary.missing))
            if names
        ]
        if told:
            raise CommandError("The backup is complete but for:\n" + "\n".join(told))
