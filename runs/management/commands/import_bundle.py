"""Import bundles from files, at once, with the same checks as submitted ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from evaluator.bundles.checking import check
from evaluator.bundles.commands import declared_facts
from evaluator.bundles.problems import BundleError, BundleProblem
from evaluator.bundles.report import text_of
from evaluator.errors import UsageError
from evaluator.wording import counted
from runs import archive
from runs.disk import NoRoom
from runs.errors import RunError
from runs.loading import bundles as intake
from runs.models import Run, Submission
from runs.services import corrections, publishing, submissions

ACTOR = "import_bundle"
PUBLISHED = "imported with --publish"


class Command(BaseCommand):
    help = (
        "Imports run folders, their zips, or results of other benchmarks. A file is imported whole, or not at all. "
        "The same file again says what it changes: facts and licence of claims that this command imported can be "
        "corrected."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--configuration", metavar="SLUG", help="default: named like the agent")
        parser.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE", help="a fact, as in the submission form"
        )
        parser.add_argument(
            "--licence",
            default="",
            choices=Submission.Licence.values,
            help="as the author of the results states it; default: as the bundle states it, else not stated",
        )
        parser.add_argument("--publish", action="store_true", help="publish its run or claims at once")
        parser.add_argument(
            "--check", action="store_true", help="only say what would be imported, or every problem: nothing is stored"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            facts = declared_facts(options["set"])
        except UsageError as error:
            raise CommandError(str(error)) from error
        if options["configuration"]:
            facts["configuration"] = options["configuration"]
        refused = list[str]()
        act = self._tried if options["check"] else self._imported
        for path in options["paths"]:
            try:
                self.stdout.write(act(path, facts, options))
            except (BundleError, RunError, NoRoom) as error:
                refused.append(_refusal(path, error))
        if refused:
            raise CommandError("\n".join(refused))

    def _imported(self, path: Path, facts: dict[str, str], options: dict[str, Any]) -> str:
        return f"{path.name}: {_import(_upload(path, facts, options['licence']), options)}"

    def _tried(self, path: Path, facts: dict[str, str], options: dict[str, Any]) -> str:
        """Import one file, take back whatever is stored, and return what it would become.

        The import itself is tried, so it says the same. The transaction, in which nobody else can write on SQLite,
        begins when the file has been read.
        """
        with archive.aside():
            upload = _upload(path, facts, options["licence"])
            read = intake.read_before(upload)
            with transaction.atomic():
                summary = _import(upload, options, read)
                transaction.set_rollback(True)
        return f"{text_of(path.name, check(path, declared=facts))}\n{path.name}: would be imported as {summary}"


def _import(upload: submissions.Upload, options: dict[str, Any], read: intake.Read | None = None) -> str:
    """Import an upload and return what it became.

    Raises:
        BundleError: with every problem of the bundle.
        RunError: it is not imported for another reason, or imported and not published.
    """
    submission, is_new = submissions.receive(upload=upload, actor=ACTOR)
    if submission.state == Submission.State.RECEIVED:
        intake.check_next(submission.pk, read)
        submission.refresh_from_db()
    _refuse_unread(submission)
    changes = _changes(submission) if is_new else _changes_again(submission, upload, read)
    if options["publish"]:
        submission = _published(submission)
    return f"{_summary(submission)}{changes}"


def _upload(path: Path, facts: dict[str, str], licence: str) -> submissions.Upload:
    """Archive the file; its licence is the option's, else the fact's where that is one of the known ones.

    Raises:
        BundleError: it cannot be read, or option and fact name two licences.
        RunError: it is not there.
        NoRoom: the disk is nearly full.
    """
    if not path.exists():
        raise RunError("no such file or folder")
    stated = facts.get("licence", "")
    if licence and stated and licence != stated:
        raise BundleError([BundleProblem("--licence", licence, f"{stated}, as --set licence says")])
    digest, size = intake.archive_bundle(path)
    name = f"{path.resolve().name}.zip" if path.is_dir() else path.name
    known = stated if stated in Submission.Licence.values else ""
    return submissions.Upload(digest, size, name, facts, licence or known)


def _refuse_unread(submission: Submission) -> None:
    """Refuse what was rejected, or could not be checked through a fault of ours."""
    if submission.state == Submission.State.REJECTED:
        raise BundleError([BundleProblem(**one) for one in submission.problems])
    if submission.state in (Submission.State.RECEIVED, Submission.State.CHECKING):
        raise RunError("the check failed through a fault of ours, which the log describes")


def _changes(submission: Submission) -> str:
    """Say how a new import differs from the newest earlier one of the same source; empty if there is none."""
    before = corrections.earlier_of_the_same_source(submission)
    if before is None:
        return ""
    changed = corrections.compared(corrections.rows_of(before), corrections.rows_of(submission))
    return f"; compared with {before}: {changed}"


def _changes_again(submission: Submission, upload: submissions.Upload, read: intake.Read | None) -> str:
    """Read a submission of the same bytes again, and say what this changes."""
    said = corrections.differences(submission, upload)
    changed = intake.read_again(submission=submission, upload=upload, actor=ACTOR, read=read)
    submission.refresh_from_db()
    return "".join(f"; {name}: {values}" for name, values in said.items()) + f"; imported before: {changed}"


def _published(submission: Submission) -> Submission:
    try:
        if submission.run is None:
            return submissions.publish_claims(submission=submission, actor=ACTOR, reason=PUBLISHED)
        if submission.run.state == Run.State.DRAFT:
            submission.run = publishing.publish_run(run=submission.run, actor=ACTOR, reason=PUBLISHED)
    except RunError as error:
        raise RunError(f"imported as {submission}, but not published: {error}") from error
    return submission


def _summary(submission: Submission) -> str:
    if submission.run is None:
        licence = submission.licence or "not stated"
        return f"{submission}, {counted(submission.claim_count, 'claim')} of {submission.format}, licence {licence}"
    results = counted(submission.run.results.count(), "result")
    return f"{submission.run}, {submission.run.get_state_display()}, {results}"


def _refusal(path: Path, error: BundleError | RunError | NoRoom) -> str:
    if isinstance(error, NoRoom):
        return f"{path}: {error.strerror}"
    if isinstance(error, RunError):
        return f"{path}: {error}"
    lines: Sequence[str] = [str(problem) for problem in error.problems]
    return "\n".join([f"{path}: not imported, {counted(len(lines), 'problem')}:", *lines])
