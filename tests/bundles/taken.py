"""What the check makes of files: the submission, its one claim, or what it was refused for."""

from __future__ import annotations

from evaluator.bundles.checking import CheckedBundle, check_files
from evaluator.bundles.parsed import ParsedBundle, ParsedClaim
from tests.bundles.made import (
    Files,
)


def taken(files: Files) -> ParsedBundle:
    checked = check_files(files)
    assert checked.problems == ()
    assert checked.bundle is not None
    return checked.bundle


def only(files: Files) -> ParsedClaim:
    (claim,) = taken(files).claims
    return claim


def refused(files: Files) -> CheckedBundle:
    checked = check_files(files)
    assert checked.problems
    return checked
