"""Write the dump of everything public."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    help = "Writes all published results as Parquet and CSV with checksums, every night; the data page links it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--out", type=Path, default=settings.DUMP_FOLDER, help="this folder's content is replaced")

    def handle(self, *args: Any, **options: Any) -> None:
        from leaderboard.downloads.dump import write_dump  # pandas and pyarrow: 0.8 s that no other command needs

        out: Path = options["out"].resolve()
        if out.exists() and not (out / "SHA256SUMS").is_file() and (not out.is_dir() or any(out.iterdir())):
            raise CommandError(f"{out} holds something else than a dump: name an empty folder or one that is not there")
        try:
            rows = write_dump(out)
        except OSError as error:
            raise CommandError(f"{out} is as it was: {error}") from error
        for name, count in rows.items():
            self.stdout.write(f"{count:>10} {name}")
        self.stdout.write(f"in {out}; `sha256sum -c SHA256SUMS` there checks it")
