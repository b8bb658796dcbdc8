"""Sweep once, or for ever where no worker runs beside the database."""

from __future__ import annotations

from time import sleep
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from runs.sweeper import SWEEP_BEATS, sweep


class Command(BaseCommand):
    help = "Gives dead claims back and sends lost messages again. Every worker does so too."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--forever", action="store_true", help="until it is stopped")

    def handle(self, *args: Any, **options: Any) -> None:
        while True:
            given_back, woken = sweep()
            if not options["forever"]:
                self.stdout.write(f"{given_back} dead claims given back, {woken} messages sent again")
                return
            sleep(SWEEP_BEATS * settings.HEARTBEAT_S)
