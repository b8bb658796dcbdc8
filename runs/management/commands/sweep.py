"""Sweep once, as workers do all the time."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from evaluator.wording import counted
from runs.worker.sweeper import sweep


class Command(BaseCommand):
    help = "Queues attempts of dead workers again and resends lost messages. Workers and `beat` do this all the time."

    def handle(self, *args: Any, **options: Any) -> None:
        expired, sent = sweep()
        self.stdout.write(f"{counted(expired, 'expired lease')}, {counted(sent, 'message')} sent again")
