"""Sweep once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from runs.sweeper import sweep


class Command(BaseCommand):
    help = "Gives dead claims back and sends lost messages again. Workers and `beat` do so all the time."

    def handle(self, *args: Any, **options: Any) -> None:
        given_back, woken = sweep()
        self.stdout.write(f"{given_back} dead claims given back, {woken} messages sent again")
