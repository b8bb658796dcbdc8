"""Checks submitted bundles: accepts them, or rejects them with all problems. The page, API and commands share this.

No code of a bundle is run. `evaluator.bundles` reads it, as it does offline. A fault on our side queues the submission
again.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import DataError

from evaluator.bundles.archives.archive import read_members
from evaluator.bundles.archives.packing import write_zip
from evaluator.bundles.checking import CheckedBundle, check_files
from evaluator.bundles.parsed import Bundle, ParsedBundle
from evaluator.bundles.problems import BundleError, BundleProblem
from evaluator.state import temporary_folder
from runs import agents, archive, disk, redaction
from runs.errors import RunError
from runs.models import Configuration, Submission
from runs.services import code_quality, corrections, names, submissions
from runs.services.audit_log import Actor
from runs.services.corrections import RowChanges

log = logging.getLogger(__name__)
DECLARED = "declared facts"
NO_AGENT = BundleProblem(f"{DECLARED}: agent", "nothing", "who wrote the candidates", "The bundle does not name it")


@dataclass(frozen=True, slots=True)
class Read:
    """A bundle as it was read under this file name and with these facts."""

    file_name: str
    facts: Mapping[str, Any]
    checked: CheckedBundle


def read_before(upload: submissions.Upload) -> Read:
    """Read an upload as its import will, for a trial: before the transaction, in which nobody else can write."""
    known = Submission.objects.filter(digest=upload.digest).exclude(state=Submission.State.REJECTED).first()
    name = known.file_name if known else upload.file_name[-submissions.LONGEST_NAME :]
    facts = {**(known.declared if known else {}), **upload.declared}
    return Read(name, facts, _checked(upload.digest, name, facts))


def check_next(submission_id: int | None = None, read: Read | None = None) -> bool:
    """Check this submission, else the oldest that waits. Return False if there is none, or no room on the disk.

    `read` is its bundle if it was read before.
    """
    if not disk.has_room():
        log.error("no submission is checked: %s", disk.shown_room())
        return False
    submission = submissions.lease_check(submission_id=submission_id)
    if submission is None:
        return False
    try:
        _check(submission, read)
    except Exception:  # the boundary of the job: any error here is a fault of ours, never of the bundle
        log.exception("%s: a fault of ours", submission)
        submissions.release_check(submission=submission)
    code_quality.measure_submission(submission=submission)
    return True


def read_again(
    *, submission: Submission, upload: submissions.Upload, actor: Actor, read: Read | None = None
) -> RowChanges:
    """Read an accepted submission again, with the facts and licence of this upload; return what this changes.

    `read` is its bundle if it was read before.

    Raises:
        BundleError: with every problem of the bundle as it is read now. Nothing changes.
        RunError: the correction is refused. Nothing changes.
    """
    facts = corrections.facts_of(submission, upload)
    parsed = _claims_of(submission, facts, read) if submission.run is None else None
    try:
        changes = corrections.correct(submission=submission, upload=upload, facts=facts, parsed=parsed, actor=actor)
    except DataError as error:
        raise BundleError([_unstorable(error)]) from error
    code_quality.measure_submission(submission=submission)
    return changes


def archive_bundle(path: Path) -> tuple[str, int]:
    """Store a bundle with the uploads, a folder as a zip; return its sha256 and size in bytes.

    One that is here needs no room on the disk.

    Raises:
        NoRoom: as `archive.put_upload`.
        BundleError: it is no plain file, or a folder with something that no bundle may have, such as a link.
    """
    read_members(path)  # a pipe would block below, and a zip would follow links
    with tempfile.TemporaryFile() if path.is_dir() else path.open("rb") as file:
        if path.is_dir():
            write_zip(path, file)
            file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        if archive.renew_upload(digest):
            return digest, file.tell()
        file.seek(0)
        return archive.put_upload(iter(functools.partial(file.read, archive.CHUNK_BYTES), b""))


def _check(submission: Submission, read: Read | None = None) -> None:
    try:
        problems, form = _imported(submission, read)
    except BundleError as error:
        problems, form = error.problems, ""
    if problems:
        submissions.reject(submission=submission, problems=problems, format=form)


def _read(submission: Submission, facts: Mapping[str, Any], read: Read | None) -> CheckedBundle:
    """Read the submission's bytes with these facts, unless that was done before."""
    if read is not None and (read.file_name, read.facts) == (submission.file_name, facts):
        return read.checked
    return _checked(submission.digest, submission.file_name, facts)


def _checked(digest: str, file_name: str, facts: Mapping[str, Any]) -> CheckedBundle:
    with temporary_folder("bundle") as folder:
        path = folder / "bundle"
        archive.copy_upload(digest, path)
        try:
            files = read_members(path, name=file_name)
        except BundleError as error:  # no archive that can be read
            return CheckedBundle(None, error.problems)
        return check_files(files, facts)


def _claims_of(submission: Submission, facts: Mapping[str, Any], read: Read | None) -> ParsedBundle:
    """Read a bundle of claims with these facts.

    Raises:
        BundleError: with every problem of the bundle.
    """
    checked = _read(submission, facts, read)
    if checked.problems or checked.bundle is None:
        raise BundleError(checked.problems)
    if not {**checked.bundle.declared, **facts}.get("agent"):
        raise BundleError([NO_AGENT])
    return checked.bundle


def _imported(submission: Submission, read: Read | None) -> tuple[Sequence[BundleProblem], str]:
    """Store a bundle that is in order. Return its problems, none if it was accepted, and its format."""
    checked = _read(submission, submission.declared, read)
    if checked.problems or checked.bundle is None:
        return checked.problems, checked.bundle.format if checked.bundle else ""
    submissions.renew_check(submission=submission)
    try:
        if checked.bundle.own is not None:
            _import_native(submission, checked.bundle, checked.bundle.own)
        elif not _declared(submission, checked.bundle).get("agent"):
            return [NO_AGENT], checked.bundle.format
        else:
            submissions.accept_claims(submission=submission, parsed=checked.bundle)
    except DataError as error:
        return [_unstorable(error)], checked.bundle.format
    except RunError as error:
        return [BundleProblem(DECLARED, str(error), "facts that this site can register")], checked.bundle.format
    return (), checked.bundle.format


def _unstorable(error: DataError) -> BundleProblem:
    seen = redaction.redacted(f"a value that the database cannot store: {error}")[:200]
    return BundleProblem("the bundle", seen, "values of usual size")


def _import_native(submission: Submission, parsed: ParsedBundle, bundle: Bundle) -> None:
    declared = _declared(submission, parsed)
    is_command = submission.submitter is None and not {"agent", "configuration"} & set(submission.declared)
    if is_command:  # `import_bundle` imports runs of built-in agents
        configuration = names.configuration_of_built_in(agent=bundle.agent, settings=bundle.settings)
    else:
        configuration = names.configuration_for(declared=declared)
        _refuse_other_settings(configuration, bundle)
    submissions.accept(submission=submission, bundle=bundle, parsed=parsed, configuration=configuration)


def _refuse_other_settings(configuration: Configuration, bundle: Bundle) -> None:
    """Refuse a configuration of a built-in agent whose settings differ from those of the run."""
    if not bundle.settings or not agents.works_in_sessions(configuration):
        return
    if not agents.fits(configuration, bundle.settings):
        raise RunError(
            f"{configuration} has other settings than this run: name or register a configuration with the same settings"
        )


def _declared(submission: Submission, parsed: ParsedBundle) -> dict[str, str]:
    """Return all declared facts: the bundle's own, overridden by the submitter's."""
    return {**parsed.declared, **submission.declared}
