"""Reveal a round, which makes its secret, cases and outcomes public."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluator.errors import EvaluatorError
from evaluator.tasks.spec import Profile
from evaluator.unseen.generate import core_cases
from runs import candidates
from runs.errors import RunError
from runs.management.named import row_named
from runs.models import Round
from runs.services import rounds

ACTOR = "reveal_round"
PROFILES: tuple[Profile, ...] = ("small", "full")


class Command(BaseCommand):
    help = "Reveals a round, for good, and prints it as a file for tasks/rounds/ with its cases as comments."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--reason", default="", help="recorded in the audit log")
        parser.add_argument("--again", action="store_true", help="print a round that has been revealed before")

    def handle(self, *args: Any, **options: Any) -> None:
        found = row_named(Round.objects.select_related("suite"), slug=options["slug"])
        try:
            if not (found.is_revealed and options["again"]):
                found = rounds.reveal_round(round=found, actor=ACTOR, reason=options["reason"])
            self.stdout.write("".join(_lines(found)))
        except (RunError, EvaluatorError) as error:
            raise CommandError(str(error)) from error


def _lines(found: Round) -> Iterator[str]:
    """Yield the lines of tasks/rounds/SLUG.yaml; comments hold the cases in the form of a task's config.yaml."""
    yield f"# The cases follow from the secret: `python -m evaluator unseen TASK --round {found}` draws them again.\n"
    about = {"version": 1, "generator": found.generator_version, "digest": found.secret_hash, "secret": found.secret}
    yield yaml.safe_dump(about, sort_keys=False)
    for task in found.suite.tasks.all():
        yield f"# {task.path}\n"
        spec = candidates.spec_of(task)
        for profile in PROFILES:
            for unseen in core_cases(spec, found.secret.encode(), profile):
                values = dict(unseen.case.axes) | {"profile": profile}
                line = yaml.safe_dump(values, default_flow_style=True, sort_keys=False, width=1000).strip()
                yield f"#    - {line}  # {unseen.category}\n"
