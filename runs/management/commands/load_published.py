"""Load the papers' tables."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from evaluator.wording import counted
from runs.loading.published import load_published


class Command(BaseCommand):
    help = "Stores the papers' tables of runs/loading/tables/, replacing those stored before."

    def handle(self, *args: Any, **options: Any) -> None:
        counts = load_published()
        self.stdout.write(f"{counted(len(counts), 'published table')}, {counted(sum(counts.values()), 'row')}")
