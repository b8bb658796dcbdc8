"""How far cards differ: the estimate, its coverage, and the file."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evaluator.errors import UsageError
from evaluator.tasks import cards
from evaluator.tasks.cards import BetweenCards, CardReading, add_between_cards, between_cards, known_between_cards
from evaluator.thresholds import MIN_CARDS

BUCKETS = {"10-50us": 0.01, "50-500us": 0.004}  # the true deviations
NOISE = 0.002  # of a reading's own interval, one deviation


def readings(count: int, *, seed: int = 0, shared: float = 1.0) -> list[CardReading]:
    """Cases of twelve tasks on cards whose effects are one for all cases of a bucket, as far as `shared` says."""
    draw, found = np.random.default_rng(seed), list[CardReading]()
    for card in range(count):
        for bucket, sd in BUCKETS.items():
            common = draw.normal()
            for task in range(12):
                effect = sd * (shared * common + math.sqrt(1 - shared**2) * draw.normal())
                value = 0.5 + effect + NOISE * draw.normal()
                found.append(CardReading((f"{task}", "c", bucket), f"t/{task}", bucket, f"{card}", value, NOISE**2))
    return found


def test_the_deviations_are_those_between_cards_alone() -> None:
    found = between_cards(readings(400))
    assert found.sds["10-50us"] == pytest.approx(0.01, rel=0.15)
    assert found.sds["50-500us"] == pytest.approx(0.004, rel=0.15)
    assert found.tasks["t/3"] == pytest.approx(sum(found.sds.values()) / 2, abs=1e-6)
    assert found.sd_of("a task that was not measured") == found.sds["10-50us"]


def test_cases_of_one_card_do_not_count_as_independent() -> None:
    assert between_cards(readings(4)).df == 3
    twice = [*readings(4), *(reading for reading in readings(4, seed=1) if reading.card == "2")]
    assert between_cards(twice).df == 3, "a card that was measured twice is one card"


def test_with_fewer_than_three_cards_nothing_is_known() -> None:
    with pytest.raises(UsageError, match=r"few cards: 10-50us on 2, 50-500us on 2; expected 3"):
        between_cards(readings(MIN_CARDS - 1))
    with pytest.raises(UsageError, match="any case on 1"):
        between_cards(readings(1))
    apart = [reading for reading in readings(6) if int(reading.card) % 3 == int(reading.task[2:]) % 3]
    with pytest.raises(UsageError, match="on 2"):  # six cards, and no candidate on more than two
        between_cards(apart)


@pytest.mark.parametrize("shared", [1.0, 0.0])
@pytest.mark.parametrize("count", [3, 4])
def test_nine_of_ten_values_of_another_card_lie_in_the_interval(count: int, shared: float) -> None:
    """The value of a case on a new card against that of an old one: 95 % intervals hold at least nine of ten."""
    inside = []
    for seed in range(60):
        *known, old, new = _by_card(readings(count + 2, seed=seed, shared=shared))
        found = between_cards(reading for own in known for reading in own)
        for before, after in zip(old, new, strict=True):
            of_bucket = replace(found, tasks={before.task: found.sds[before.bucket]})
            half = math.hypot(1.96 * math.sqrt(2) * NOISE, of_bucket.half_width(before.task))
            inside.append(abs(after.log_ratio - before.log_ratio) <= half)
    assert np.mean(inside) >= 0.94


def _by_card(found: list[CardReading]) -> list[list[CardReading]]:
    return [[one for one in found if one.card == card] for card in dict.fromkeys(one.card for one in found)]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cards.json"
    monkeypatch.setattr(cards, "cards_file", lambda: path)
    return path


def test_what_is_written_is_known_of_that_class_and_protocol_alone(file: Path) -> None:
    found = between_cards(readings(4))
    assert known_between_cards("h200-sxm", "arena-9") is None
    add_between_cards("h200-sxm", "arena-9", found, file)
    add_between_cards("h100-sxm", "arena-9", BetweenCards(("a",), 2, {">500us": 0.1}, {}), file)
    assert known_between_cards("h200-sxm", "arena-9") == found
    assert known_between_cards("h200-sxm", "arena-8") is None


def test_a_malformed_file_is_refused(file: Path) -> None:
    file.write_text('{"a b": {"df": "three"}}')
    with pytest.raises(UsageError, match="df: seen"):
        known_between_cards("a", "b")


def test_the_committed_file_can_be_read() -> None:
    assert known_between_cards("h300-sxm", "arena-1") is None
