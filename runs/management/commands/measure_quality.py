"""Measure the code of candidates that have no figures yet: those from before it was measured, or that took too long."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluator.wording import counted
from runs.services.code_quality import measure_all


class Command(BaseCommand):
    help = "Measures maintainability and complexity of candidates that have no figures yet. None of their code is run."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--again", action="store_true", help="measure all candidates anew, as after a new radon")

    def handle(self, *args: Any, again: bool, **options: Any) -> None:
        self.stdout.write(f"{counted(measure_all(again=again), 'candidate')} measured")
