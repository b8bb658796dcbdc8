"""Import bundles from files, at once, with the same checks as submitted ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluator.bundles.checking import check
from evaluator.bundles.commands import declared_facts
from evaluator.bundles.problems import BundleProblem
from evaluator.bundles.report import text_of
from evaluator.errors import UsageError
from evaluator.wording import counted
from runs.errors import RunError
from runs.loading import bundles as intake
from runs.models import Run, Submission
from runs.services import publishing, submissions

ACTOR = "import_bundle"


class Command(BaseCommand):
    help = "Imports run folders, their zips, or results of other benchmarks. A file is imported whole, or not at all."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--configuration", metavar="SLUG", help="default: named like the agent")
        parser.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE", help="a fact, as in the submission form"
        )
        parser.add_argument("--licence", default=Submission.Licence.CC_BY, choices=Submission.Licence.values)
        parser.add_argument("--publish", action="store_true", help="publish its run or claims at once")
        parser.add_argument("--check", action="store_true", help="only print what it contains and every problem")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            facts = declared_facts(options["set"])
        except UsageError as error:
            raise CommandError(str(error)) from error
        for path in options["paths"]:
            if not path.exists():
                raise CommandError(f"{path}: no such file or folder")
            if options["check"]:
                self._check(path, facts)
            else:
                submission = self._imported(path, options, facts)
                self.stdout.write(f"{path.name}: {self._summary(path, submission, options)}")

    def _check(self, path: Path, facts: dict[str, str]) -> None:
        """Check the file like `python -m evaluator bundle check`; only an import compares it with this site's tasks."""
        checked = check(path, declared=facts)
        if checked.problems:
            raise _refused(path, checked.problems)
        self.stdout.write(text_of(path.name, checked))

    def _imported(self, path: Path, options: dict[str, Any], facts: dict[str, str]) -> Submission:
        digest, size = intake.archive_bundle(path)
        named = {"configuration": options["configuration"]} if options["configuration"] else {}
        name = f"{path.resolve().name}.zip" if path.is_dir() else path.name
        upload = submissions.Upload(digest, size, name, facts | named, options["licence"])
        submission, _ = submissions.receive(upload=upload, actor=ACTOR)
        intake.check_next(submission.pk)
        submission.refresh_from_db()
        if submission.run is None and not submission.claim_count:
            raise _refused(path, [BundleProblem(**one) for one in submission.problems])
        return submission

    def _summary(self, path: Path, submission: Submission, options: dict[str, Any]) -> str:
        if options["publish"]:
            self._publish(path, submission)
        if submission.run is None:
            return f"{submission}, {counted(submission.claim_count, 'claim')} of {submission.format}"
        results = counted(submission.run.results.count(), "result")
        return f"{submission.run}, {submission.run.get_state_display()}, {results}"

    def _publish(self, path: Path, submission: Submission) -> None:
        try:
            if submission.run is None:
                submissions.publish_claims(submission=submission, actor=ACTOR)
            elif submission.run.state == Run.State.DRAFT:
                submission.run = publishing.publish_run(run=submission.run, actor=ACTOR)
        except RunError as error:
            raise CommandError(f"{path}: imported as {submission}, but not published: {error}") from error


def _refused(path: Path, problems: Sequence[BundleProblem]) -> CommandError:
    lines = "\n".join(map(str, problems))
    count = counted(len(problems), "problem")
    return CommandError(f"{path}: not imported, {count}:\n{lines}")
