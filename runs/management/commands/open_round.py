"""Open a round of unseen cases, and print what to publish about it now."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs.errors import RunError
from runs.management.named import current_suite
from runs.services import rounds

ACTOR = "open_round"


class Command(BaseCommand):
    help = "Opens a round over a suite's tasks with a new secret. Secret and cases stay hidden until reveal_round."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--suite", required=True, help="its current version is used")

    def handle(self, *args: Any, **options: Any) -> None:
        suite = current_suite(options["suite"])
        try:
            opened = rounds.open_round(slug=options["slug"], suite=suite, actor=ACTOR)
        except ValidationError as error:
            raise CommandError(f"not opened: {' '.join(error.messages)}") from error
        except RunError as error:
            raise CommandError(f"not opened: {error}") from error
        self.stdout.write(
            f"{opened} is open for {suite}. Publish this now:\n"
            f"sha256 of the secret  {opened.secret_hash}\n"
            f"generator             {opened.generator_version}\n"
            f"digest of the tasks   {opened.tasks_digest}"
        )
