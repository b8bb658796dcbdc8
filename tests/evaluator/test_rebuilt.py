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


def test_a_version_is_rebuilt_from_the_one_that_it_was_made_from() -> None:
    """1 and 2 from the task's own source, 3 from 1, and 4 from 2."""
    texts = [{"a.py": text, "b.hip": "old\n"} for text in ("one\n2\nthree\n", "1\ntwo\n", "one\n2\n3\n", "1\n")]
    parents, before = [(), (), (1, 2), (2,)], [START, START, texts[0], texts[1]]
    versions = [
        replace(one, number=number, diff=diff_of(then, files), parents=shown)
        for number, (one, files, then, shown) in enumerate(
            zip(made(START, texts), texts, before, parents, strict=True), 1
        )
    ]
    assert rebuilt(START, versions) == tuple(texts)
    versions[0] = replace(versions[0], digest="0" * 64)
    assert rebuilt(START, versions) == (None, texts[1], None, texts[3])


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
