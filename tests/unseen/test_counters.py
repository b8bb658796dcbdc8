"""Integers from a secret: golden values, no bias, nothing shared between purposes."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from evaluator.unseen.counters import WORDS, CounterStream, stream

GOLDEN = [890, 259, 416, 323, 263, 68, 648, 115]


def integers(purpose: str = "small/0/edge", secret: bytes = b"secret") -> CounterStream:
    return stream("arena-unseen-1", "0" * 64, secret, purpose)


def test_integers_are_the_same_everywhere_and_always() -> None:
    found = integers()
    assert [found.below(1000) for _ in range(8)] == GOLDEN


def test_a_word_is_the_hash_of_lengths_words_and_counter() -> None:
    words = (b"arena-unseen-1", b"0" * 64, b"secret", b"small/0/edge")
    prefix = b"".join(len(word).to_bytes(4, "big") + word for word in words)
    expected = int.from_bytes(hashlib.sha256(prefix + (0).to_bytes(8, "big")).digest(), "big")
    assert integers().below(WORDS) == expected


def test_another_secret_or_purpose_gives_other_integers() -> None:
    streams = [integers(), integers(secret=b"secreu"), integers(purpose="small/1/edge")]
    assert len({one.below(WORDS) for one in streams}) == 3


def test_words_that_run_together_are_different_keys() -> None:
    one = stream("a", "bc", b"d", "e").below(WORDS)
    other = stream("ab", "c", b"d", "e").below(WORDS)
    assert one != other


def test_words_of_an_incomplete_last_turn_are_passed_over() -> None:
    """With a bound just above half of all words, every second word would favour the low half."""
    bound, found = WORDS // 2 + 1, integers()
    drawn = [found.below(bound) for _ in range(200)]
    assert found.counter > 300  # about two words for each
    low = sum(value < bound // 2 for value in drawn)
    assert 70 < low < 130  # five standard deviations; with a remainder it would be nearly all


def test_every_value_comes_about_as_often() -> None:
    found = integers()
    counts = Counter(found.below(7) for _ in range(7000))
    assert sorted(counts) == list(range(7))
    assert all(850 < count < 1150 for count in counts.values())


def test_both_ends_are_drawn_and_a_sample_repeats_nothing() -> None:
    found = integers()
    assert {found.between(3, 5) for _ in range(100)} == {3, 4, 5}
    assert sorted(found.sample("abcde", 5)) == list("abcde")


@pytest.mark.parametrize("bound", [0, -1, WORDS + 1])
def test_a_bound_without_values_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="a bound of"):
        integers().below(bound)


def test_a_stream_does_not_print_its_secret() -> None:
    assert "secret" not in repr(integers())
