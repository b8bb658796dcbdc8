"""A count stands before the right form of its noun."""

from __future__ import annotations

from evaluator.wording import counted


def test_one_is_one_and_any_other_number_many() -> None:
    assert [counted(number, "run") for number in (0, 1, 2)] == ["0 runs", "1 run", "2 runs"]
    assert [counted(number, "entry", "entries") for number in (1, 2)] == ["1 entry", "2 entries"]
