"""Write the dump of everything public."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    help = "Write everything public as Parquet and CSV files with checksums. The data page links them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--out", type=Path, default=settings.DUMP_FOLDER, help="folder to write to; its content is replaced"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        from leaderboard.downloads.dump import write_dump  # pandas and pyarrow: 0.8 s that no other command needs

        out: Path = options["out"].resolve()
        if out.exists() and not (out / "SHA256SUMS").is_file() and (not out.is_dir() or any(out.iterdir())):
            raise CommandError(f"{out} contains something other than a dump: choose an empty or a new folder")
        try:
            rows = write_dump(out)
        except OSError as error:
            raise CommandError(f"{out} is unchanged: {error}") from error
        for name, count in rows.items():
            self.stdout.write(f"{count:>10} {name}")
        self.stdout.write(f"Written to {out}. Check it there with `sha256sum -c SHA256SUMS`.")
