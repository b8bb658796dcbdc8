"""Register agents, models, configurations, device classes, hosts and suites from a YAML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluator.wording import counted
from runs.errors import RegistryError
from runs.loading import registry

NOUNS = {
    "agents": ("agent",),
    "models": ("model",),
    "configurations": ("configuration",),
    "device_classes": ("device class", "device classes"),
    "hosts": ("host",),
    "suites": ("suite",),
}


class Command(BaseCommand):
    help = "Registers everything a YAML file names, or lists every problem and registers nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            nargs="?",
            type=Path,
            default=registry.BUNDLED,
            help="default: the built-in agents and device classes",
        )
        parser.add_argument("--only-missing", action="store_true", help="do not change what is already registered")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            counts = registry.load_registry(options["file"], only_missing=options["only_missing"])
        except RegistryError as error:
            found = counted(len(error.problems), "problem")
            raise CommandError(f"nothing was registered, {found}:\n{error}") from error
        named = [counted(count, *NOUNS[section]) for section, count in counts.items() if count]
        self.stdout.write(f"registered {', '.join(named) or 'nothing'}")
