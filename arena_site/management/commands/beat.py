"""`manage.py beat`: run the scheduler until it is stopped. One is enough; a second one does no harm."""

from __future__ import annotations

import signal
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from arena_site.operations.schedule import Scheduler
from runs import compatibility


class Command(BaseCommand):
    help = "Run the sweeper all the time; after 03:00 UTC write the dump, remove old sessions and make a backup."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--night", action="store_true", help="run the nightly jobs now, then exit")

    def handle(self, *args: Any, **options: Any) -> None:
        compatibility.refuse_incompatible()
        scheduler = Scheduler()
        if options["night"]:
            scheduler.run_nightly_jobs()
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, scheduler.stop)
        scheduler.run()
