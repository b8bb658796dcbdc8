"""From the bytes of a bundle to a verdict: the one function behind web form, REST, command line and worker.

Nothing here runs code of a bundle. What is wrong with it comes as problems, all at once; what fails on our side leaves
the submission waiting. The reading is `evaluator.bundles`, the same as offline.
"""

from __future__ import annotations

import functools
import logging
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from django.db import DataError

from evaluator.bundles.archives.archive import read_members
from evaluator.bundles.archives.packing import write_zip
from evaluator.bundles.checking import check_files
from evaluator.bundles.native.bundle import Bundle
from evaluator.bundles.parsed import ParsedBundle as Claimed
from evaluator.bundles.problems import BundleError, BundleProblem
from runs import agents, archive, redaction
from runs.errors import RunError
from runs.models import Configuration, Submission
from runs.services import names, submissions

log = logging.getLogger(__name__)
DECLARED = "what you declare"
NO_AGENT = BundleProblem(f"{DECLARED}: agent", "nothing", "who wrote the candidates", "The bundle does not say it")


def check_next(submission_id: int | None = None) -> bool:
    """Check the submission that is named, else the oldest that waits. False: none does."""
    submission = submissions.claim_check(submission_id=submission_id)
    if submission is None:
        return False
    try:
        _check(submission)
    except Exception:  # the job's border: whatever fails behind it is ours, never the bundle's
        log.exception("%s: a fault of ours", submission)
        submissions.give_back_check(submission=submission)
    return True


def kept(path: Path) -> tuple[str, int]:
    """Put a bundle's bytes into the archive, a folder as its zip; digest and size."""
    with tempfile.TemporaryFile() as packed:
        if path.is_dir():
            write_zip(path, packed)
            packed.seek(0)
            return archive.put_chunks(iter(functools.partial(packed.read, archive.CHUNK_BYTES), b""))
    with path.open("rb") as file:
        return archive.put_chunks(iter(functools.partial(file.read, archive.CHUNK_BYTES), b""))


def _check(submission: Submission) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bundle"
        archive.copy_to(submission.digest, path)
        try:
            problems, form = _imported(submission, read_members(path, name=submission.file_name))
        except BundleError as error:
            problems, form = error.problems, ""
    if problems:
        submissions.reject(submission=submission, problems=problems, format=form)


def _imported(submission: Submission, files: Mapping[str, bytes]) -> tuple[Sequence[BundleProblem], str]:
    """Its problems, none where it was accepted, and its format."""
    checked = check_files(files, submission.declared)
    if checked.problems or checked.bundle is None:
        return checked.problems, checked.bundle.format if checked.bundle else ""
    submissions.renew_check(submission=submission)
    try:
        if checked.bundle.own is not None:
            _import_native(submission, checked.bundle, checked.bundle.own)
        elif not _declared(submission, checked.bundle).get("agent"):
            return [NO_AGENT], checked.bundle.format
        else:
            submissions.accept_claims(submission=submission, claimed=checked.bundle)
    except DataError as error:
        seen = redaction.shown(f"what no row can hold: {error}")[:200]
        return [BundleProblem("the bundle", seen, "values of usual size")], checked.bundle.format
    except RunError as error:
        return [BundleProblem(DECLARED, str(error), "what this site can register")], checked.bundle.format
    return (), checked.bundle.format


def _import_native(submission: Submission, claimed: Claimed, bundle: Bundle) -> None:
    declared = _declared(submission, claimed)
    is_command = submission.submitter is None and not {"agent", "configuration"} & set(submission.declared)
    if is_command:  # it brings runs of ours
        configuration = names.configuration_of_ours(agent=bundle.agent, settings=bundle.settings)
    else:
        configuration = names.configuration_for(declared=declared)
        _refuse_other_settings(configuration, bundle)
    submissions.accept(submission=submission, bundle=bundle, claimed=claimed, configuration=configuration)


def _refuse_other_settings(configuration: Configuration, bundle: Bundle) -> None:
    """A run of an agent of ours stands under what it was run with, whatever name was given."""
    if not bundle.settings or not agents.works_in_sessions(configuration):
        return
    if not agents.fits(configuration, bundle.settings):
        raise RunError(f"{configuration} has other settings than this run: name or register one with the same")


def _declared(submission: Submission, claimed: Claimed) -> dict[str, str]:
    """What the submitter says goes over what the bundle says of itself."""
    return {**claimed.declared, **submission.declared}
