"""The clockwork of a site, until it is stopped: one of it is enough, and a second one does no harm."""

from __future__ import annotations

import signal
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from arena_site.operations.schedule import Clockwork
from runs import compatibility


class Command(BaseCommand):
    help = "Sweeps; every night after 3 h UTC writes the dump, removes old sessions and makes a backup (ARENA_BACKUPS)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--night", action="store_true", help="do what a night does, at once, and end")

    def handle(self, *args: Any, **options: Any) -> None:
        compatibility.refuse_incompatible()
        clockwork = Clockwork()
        if options["night"]:
            clockwork.work_at_night()
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, clockwork.stop)
        clockwork.run()
