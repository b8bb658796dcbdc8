"""Sweep once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from evaluator.wording import counted
from runs.worker.sweeper import sweep


class Command(BaseCommand):
    help = "Gives dead claims back and sends lost messages again. Workers and `beat` do so all the time."

    def handle(self, *args: Any, **options: Any) -> None:
        given_back, woken = sweep()
        self.stdout.write(f"{counted(given_back, 'dead claim')} given back, {counted(woken, 'message')} sent again")
