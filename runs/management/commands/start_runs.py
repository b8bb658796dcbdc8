"""Start runs of a built-in agent on a suite, one for each repeat, after showing the estimated cost."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluator.errors import EvaluatorError
from runs.errors import RunError
from runs.management.named import current_suite, row_named
from runs.models import Configuration, DeviceClass, Round
from runs.services import starts


class Command(BaseCommand):
    help = "Queues a configuration on every task of a suite, in three runs by default. Workers evaluate them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("configuration", help="its slug; `load_registry` registers configurations")
        parser.add_argument("--suite", default="smoke")
        parser.add_argument("--device", default="cpu-x86_64", help="the slug of a device class")
        parser.add_argument("--repeats", type=int, default=starts.REPEATS, help="the number of runs (default 3)")
        parser.add_argument("--first", type=int, default=0, help="the number of the first repeat")
        parser.add_argument("--round", default="", help="the slug of a round of unseen cases")
        parser.add_argument(
            "--spend", action="store_true", help="start runs that call a paid model, at the estimated cost"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        configuration = row_named(Configuration.objects.select_related("agent", "model"), slug=options["configuration"])
        suite = current_suite(options["suite"])
        repeats = options["repeats"]
        try:
            estimate = starts.estimate_text(configuration=configuration, suite=suite, repeats=repeats)
            if estimate and not options["spend"]:
                raise CommandError(f"{estimate} Add `--spend` to start.")
            runs = starts.start_runs(
                configuration=configuration,
                suite=suite,
                device_class=row_named(DeviceClass.objects.all(), slug=options["device"]),
                repeats=repeats,
                repeat=options["first"],
                round=row_named(Round.objects.all(), slug=options["round"]) if options["round"] else None,
                actor="start_runs",
            )
        except (RunError, EvaluatorError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"queued: {', '.join(f'/run/{run.pk}/' for run in runs)}")
