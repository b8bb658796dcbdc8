"""A count stands before the right form of its noun; a field name becomes a label for people."""

from __future__ import annotations

from evaluator.wording import counted, field_label


def test_one_is_one_and_any_other_number_many() -> None:
    assert [counted(number, "run") for number in (0, 1, 2)] == ["0 runs", "1 run", "2 runs"]
    assert [counted(number, "entry", "entries") for number in (1, 2)] == ["1 entry", "2 entries"]


def test_a_currency_keeps_its_capitals() -> None:
    assert [field_label(name) for name in ("output_tokens", "cost_usd", "model")] == [
        "output tokens",
        "cost in USD",
        "model",
    ]
