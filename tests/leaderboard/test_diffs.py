from __future__ import annotations

import time

import pytest

from leaderboard.diffs import LONGEST, diff, is_comparable, numbered


def test_equal_sources_have_no_difference() -> None:
    assert diff("a\nb\n", "a\nb\n").is_empty


def test_a_changed_line_is_one_removed_and_one_added() -> None:
    found = diff("a\nb\nc\n", "a\nB\nc\n")
    assert (found.added, found.removed) == (1, 1)
    assert [(line.kind, line.old, line.new, line.text) for line in found.lines] == [
        ("same", 1, 1, "a"),
        ("removed", 2, None, "b"),
        ("added", None, 2, "B"),
        ("same", 3, 3, "c"),
    ]


def test_far_unchanged_lines_become_a_gap() -> None:
    before = [f"line {number}" for number in range(20)]
    after = [*before[:1], "new", *before[1:18], "newer", *before[18:]]
    found = diff("\n".join(before), "\n".join(after))
    assert [line.text for line in found.lines if line.kind == "gap"] == ["11 unchanged lines"]
    assert found.added == 2


def test_a_gap_of_one_line_is_singular() -> None:
    old = [f"line {number}" for number in range(10)]
    gap = next(
        line for line in diff("\n".join(old), "\n".join([*old[:4], "new", *old[4:]])).lines if line.kind == "gap"
    )
    assert gap.text == "1 unchanged line"


def test_lines_are_numbered_from_one() -> None:
    assert [(line.new, line.text) for line in numbered("x\n\ny")] == [(1, "x"), (2, ""), (3, "y")]


@pytest.mark.parametrize("end", ["\r", "\n", "\f", "\u2028"])
def test_every_kind_of_line_end_counts_towards_the_limit(end: str) -> None:
    assert is_comparable("a\n", end * LONGEST)
    assert not is_comparable("a\n", end * (LONGEST + 1))


def test_sources_whose_comparison_would_take_seconds_are_not_compared() -> None:
    assert not is_comparable("\n\na" * 150, "\n\nb" * 1500)
    assert is_comparable("\na" * 1500, "\na" * 1500)  # equal ones are found at once
    started = time.process_time()
    assert not is_comparable("\n".join("abc"), "\r" * 2_000_000)
    assert time.process_time() - started < 20  # 0.03 s
