"""The reader of CHANGELOG.md."""

from __future__ import annotations

import re
import tomllib

import pytest

from evaluator import VERSION
from evaluator.records.record import OWN_PROTOCOLS, PROTOCOL
from leaderboard.changelog import FILE, changelog, newest_protocol, parse, protocol_age

TEXT = """\
# Changelog

- a line before the first version

## [Unreleased]

- Evaluator: not yet.

## [0.2.0] - 2026-01-02

### Added

- Site: a page.
- Evaluator: an item
  over two lines.

### Fixed

- Evaluator: another.

## [0.1.0] - 2026-01-01

## Timing protocols

- `p-2`: the next one.
- `p-1`, until 2026-01-01: what it is: in words.
"""


def test_only_the_evaluators_changes_of_released_versions_are_taken() -> None:
    found = parse(TEXT)
    assert dict(found.evaluators) == {"0.2.0": "An item over two lines. Another.", "0.1.0": ""}
    assert dict(found.protocols) == {"p-2": "The next one.", "p-1": "What it is: in words."}
    assert dict(found.until) == {"p-1": "2026-01-01"}


def test_a_text_without_versions_describes_none() -> None:
    assert parse("# Changelog\n") == parse("")


def test_every_protocol_of_the_judge_but_the_current_one_has_a_last_day() -> None:
    own = {name for name in changelog().protocols if name.startswith(OWN_PROTOCOLS)}
    assert changelog().until.keys() == own - {PROTOCOL}


@pytest.mark.parametrize("twice", ["## [0.1.0] - 2026-01-03\n", "## Timing protocols\n\n- `p-1`: again.\n"])
def test_what_is_described_twice_is_refused(twice: str) -> None:
    with pytest.raises(ValueError, match="is described twice"):
        parse(f"{TEXT}\n{twice}")


@pytest.mark.parametrize("item", ["nothing of the kind", "`p-1`, until then: text", "p-1: without code"])
def test_a_protocol_of_another_form_is_refused(item: str) -> None:
    with pytest.raises(ValueError, match="expected `NAME`: TEXT or `NAME`, until DAY: TEXT, seen"):
        parse(f"## Timing protocols\n\n- {item}\n")


def test_the_file_has_the_form_of_keep_a_changelog() -> None:
    text = FILE.read_text()
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert headings[-1] == "Timing protocols"
    assert len(changelog().evaluators) == len(headings) - 2
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= kinds
    assert all(re.match("(Evaluator|Site|Project): ", item) for item in re.findall(r"^- ([^`].*)$", text, re.MULTILINE))


def test_the_package_has_the_evaluators_version() -> None:
    project = tomllib.loads((FILE.parent / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION == next(iter(changelog().evaluators))


def test_protocols_are_ordered_by_their_numbers() -> None:
    names = ["arena-10", "arena-9", "arena-3", "aka-scripts-1", "by-hand"]
    assert sorted(names, key=protocol_age) == ["aka-scripts-1", "arena-3", "arena-9", "arena-10", "by-hand"]


def test_the_newest_protocol_is_the_current_one_or_else_the_last() -> None:
    assert newest_protocol(["arena-9", "arena-10"], "arena-11") == "arena-10"
    assert newest_protocol(["arena-9", "arena-10"], "arena-9") == "arena-9"
    assert newest_protocol([], "arena-9", default="none") == "none"
