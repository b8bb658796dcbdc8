"""Import runs that were made somewhere else: the same way that a bundle takes from the form, at once and by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluator.bundles.problems import Problem
from runs import intake, services
from runs.errors import RunError
from runs.models import Run, Submission

ACTOR = "import_bundle"


class Command(BaseCommand):
    help = "Imports run folders or their zips, each whole or, with every problem listed, not at all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--configuration", metavar="SLUG", help="whose run it is; default: the agent's name")
        parser.add_argument("--licence", default=Submission.Licence.CC_BY, choices=Submission.Licence.values)
        parser.add_argument("--publish", action="store_true", help="put it on the boards at once")
        parser.add_argument("--check", action="store_true", help="only say what is wrong with it")

    def handle(self, *args: Any, **options: Any) -> None:
        for path in options["paths"]:
            if not path.exists():
                raise CommandError(f"{path}: there is no such file or folder")
            if options["check"]:
                self._check(path)
            else:
                run = self._imported(path, options)
                self.stdout.write(f"{path.name}: {run}, {run.get_state_display()}, {run.results.count()} results")

    def _check(self, path: Path) -> None:
        if problems := intake.problems_of(path):
            raise _refused(path, problems)
        self.stdout.write(f"{path.name}: no problems")

    def _imported(self, path: Path, options: dict[str, Any]) -> Run:
        digest, size = intake.kept(path)
        declared = {"configuration": options["configuration"]} if options["configuration"] else {}
        upload = services.Upload(digest, size, path.name, declared, options["licence"])
        submission, _ = services.receive(upload=upload, actor=ACTOR)
        intake.check_next(submission.pk)
        submission.refresh_from_db()
        if submission.run is None:
            raise _refused(path, [Problem(**one) for one in submission.problems])
        if options["publish"] and submission.run.state == Run.State.DRAFT:
            return self._published(path, submission.run)
        return submission.run

    def _published(self, path: Path, run: Run) -> Run:
        try:
            return services.publish_run(run=run, actor=ACTOR)
        except RunError as error:
            raise CommandError(f"{path}: imported as {run}, not published: {error}") from error


def _refused(path: Path, problems: Sequence[Problem]) -> CommandError:
    lines = "\n".join(map(str, problems))
    return CommandError(f"{path}: not imported, {len(problems)} problems:\n{lines}")
