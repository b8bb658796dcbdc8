"""Sources of an agent's versions, rebuilt from the task's own and the diffs of its session."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluator.records.sessions import shortened
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.rebuilt import rebuilt
from evaluator.workbench import diff_of
from tests.agent_sessions import make_iteration

START = {"a.py": "one\ntwo\nthree\n", "b.hip": "old\n"}
VERSIONS = (
    {"a.py": "one\n2\nthree\nfour", "b.hip": "old\n"},  # no line break at its end
    {"a.py": "2\nthree\nfour\n", "b.hip": ""},
    {"a.py": "\n".join(map(str, range(40))), "c.py": "new\n"},
)


def made(start, versions):
    before, found = start, []
    for number, files in enumerate(versions, 1):
        held = {path: text for path, text in files.items() if text}
        digest = Candidate({path: text.encode() for path, text in held.items()}, "").digest
        found.append(make_iteration(number, diff=diff_of(before, files), digest=digest))
        before = files
    return found


def test_every_version_is_rebuilt_to_the_last_byte() -> None:
    found = rebuilt(START, made(START, VERSIONS))
    assert found == tuple({path: text for path, text in files.items() if text} for files in VERSIONS)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda one: replace(one, diff=shortened(one.diff, 40)),  # cut
        lambda one: replace(one, diff=one.diff.replace("+four", "+[secret]")),  # masked
        lambda one: replace(one, digest="0" * 64),
        lambda one: replace(one, diff=one.diff.replace(" three", " third")),  # of another text
    ],
    ids=["cut", "masked", "another digest", "another text"],
)
def test_what_is_not_exact_is_not_shown_nor_what_follows_it(spoil) -> None:
    first, *rest = made(START, VERSIONS)
    assert rebuilt(START, [spoil(first), *rest]) == (None, None, None)
    assert rebuilt(START, [first, spoil(rest[1])])[0] == VERSIONS[0]


def test_another_start_gives_nothing() -> None:
    assert rebuilt({"a.py": "other\n"}, made(START, VERSIONS)) == (None, None, None)
