"""Checks files of a bundle in tests: the parsed bundle, its only claim, or its problems."""

from __future__ import annotations

from evaluator.bundles.checking import CheckedBundle, check_files
from evaluator.bundles.parsed import ParsedBundle, ParsedClaim
from tests.bundles.made import (
    Files,
)


def accepted(files: Files) -> ParsedBundle:
    checked = check_files(files)
    assert checked.problems == ()
    assert checked.bundle is not None
    return checked.bundle


def only(files: Files) -> ParsedClaim:
    (claim,) = accepted(files).claims
    return claim


def refused(files: Files) -> CheckedBundle:
    checked = check_files(files)
    assert checked.problems
    return checked
