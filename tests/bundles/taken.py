"""What the check makes of files: the submission, its one claim, or what it was refused for."""

from __future__ import annotations

from evaluator.bundles.checking import Checked, check_files
from evaluator.bundles.parsed import Claim, Submission
from tests.bundles.made import (
    Files,
)


def taken(files: Files) -> Submission:
    checked = check_files(files)
    assert checked.problems == ()
    assert checked.submission is not None
    return checked.submission


def only(files: Files) -> Claim:
    (claim,) = taken(files).claims
    return claim


def refused(files: Files) -> Checked:
    checked = check_files(files)
    assert checked.problems
    return checked
