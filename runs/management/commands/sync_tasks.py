"""Mirror tasks/, its suites and its revealed rounds into rows."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluator.errors import TaskError
from evaluator.wording import counted
from runs.errors import RunError
from runs.loading.catalog import mirror


class Command(BaseCommand):
    help = "Stores tasks/, tasks/suites/ and tasks/rounds/ as current; older versions of tasks and suites stay."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            mirrored = mirror()
        except (TaskError, RunError) as error:
            raise CommandError(f"nothing was changed:\n{error}") from error
        suites, rounds = ", ".join(mirrored.suites) or "none", ", ".join(mirrored.rounds) or "none"
        self.stdout.write(f"{counted(mirrored.tasks, 'task')}, suites {suites}, revealed rounds {rounds}")
