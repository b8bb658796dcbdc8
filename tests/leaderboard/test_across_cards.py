"""Comparisons of entries on different cards: what is added, its coverage, and what the page says."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.tasks.cards import BetweenCards
from leaderboard.pages.board.standings import cards_note, spread_of
from leaderboard.statistics.cards import NO_CARDS, CardEffects, CardPart, CardSpread
from leaderboard.statistics.comparisons import compare_usable_speedup, paired_t
from leaderboard.statistics.intervals import student
from leaderboard.statistics.ranking import RankInterval, rank_intervals
from leaderboard.statistics.results import ResultMatrix
from leaderboard.statistics.speed import task_gains
from tests.leaderboard.arrays import right

TASKS = 24
SPREAD = CardSpread(np.full(TASKS, 0.01), 3)
BETWEEN = BetweenCards(("a", "b", "c", "d"), 3, {"10-50us": 0.02, "50-500us": 0.004}, {"x": 0.01})


def entry(gain: float, *cards: str, seed: int = 0) -> ResultMatrix:
    """Gains on every task around `gain`, with a run on each card."""
    logs = gain + np.random.default_rng(seed).normal(0, 0.002, TASKS)
    return ResultMatrix.from_rows([[right(float(log))._replace(card=card) for card in cards] for log in logs])


def test_entries_on_the_same_cards_owe_nothing_to_them() -> None:
    first, second = entry(0.50, "a", "b"), entry(0.51, "b", "a", seed=1)
    assert CardEffects.of([first, second], SPREAD).between(0, 1).variance == pytest.approx(0, abs=1e-20)
    plain, known = (compare_usable_speedup(first, second, TASKS, spread) for spread in (None, SPREAD))
    assert (known.p, known.interval) == (pytest.approx(plain.p), pytest.approx(plain.interval))


def test_two_cards_add_both_of_their_variances_and_more_runs_share_them() -> None:
    effects = CardEffects.of([entry(0.5, "a"), entry(0.5, "b"), entry(0.5, "b", "c"), entry(0.5, "a", "b")], SPREAD)
    assert effects.between(0, 1).variance == pytest.approx(2 * 0.01**2)
    assert effects.between(0, 2).variance == pytest.approx(1.5 * 0.01**2)
    assert effects.between(0, 3).variance == pytest.approx(0.5 * 0.01**2)  # half of its runs are on the same card


def test_what_differs_by_less_than_cards_do_is_no_difference_across_cards() -> None:
    slow, fast, other = entry(0.50, "a"), entry(0.51, "a", seed=1), entry(0.51, "b", seed=1)
    assert compare_usable_speedup(slow, fast, TASKS, SPREAD).is_significant
    assert not compare_usable_speedup(slow, other, TASKS, SPREAD).is_significant
    assert compare_usable_speedup(slow, entry(0.8, "b"), TASKS, SPREAD).is_significant
    found = [slow, fast, other]
    ranks = rank_intervals([task_gains(one) for one in found], CardEffects.of(found, SPREAD))
    assert ranks == [RankInterval(2, 3, True), RankInterval(1, 2, False), RankInterval(1, 3, False)]


def test_without_a_card_part_the_tests_are_as_they_were() -> None:
    values = np.random.default_rng(0).normal(0.1, 1, 24)
    assert student(values, CardPart(0.0, 3)) == student(values)
    assert paired_t(values, NO_CARDS).p == paired_t(values).p


def test_the_interval_holds_the_difference_of_entries_on_two_cards_nine_times_in_ten() -> None:
    """Deviation of cards estimated from four of them; the truth is a difference of nothing."""
    draw, inside = np.random.default_rng(0), []
    unit = CardEffects.of([entry(0.0, "a"), entry(0.0, "b")], CardSpread(np.ones(TASKS), 3)).between(0, 1)
    for _ in range(1000):
        estimated = float(draw.normal(0, 0.01, 4).var(ddof=1))
        found = student(
            draw.normal(0, 0.02, TASKS) + draw.normal(0, 0.01) - draw.normal(0, 0.01),
            CardPart(unit.variance * estimated, unit.df),
        )
        inside.append(found.low <= 0 <= found.high)
    assert np.mean(inside) >= 0.95


def test_the_page_says_what_is_known_of_cards() -> None:
    first, second = entry(0.5, "a"), entry(0.5, "b")
    assert cards_note([first, entry(0.5, "a")], None) == ""
    assert cards_note([first], None) == ""
    assert "How far cards of this class differ is not known" in cards_note([first, second], None)
    note = cards_note([first, second], BETWEEN)
    assert note.startswith("Not all results here are known to be of one card. ")
    assert "2 %" in note.replace("\N{NO-BREAK SPACE}", " ")
    assert "by 4 cards, with Student's t at 3 degrees of freedom" in note.replace("\N{NO-BREAK SPACE}", " ")
    assert spread_of(None, ["x"]) is None
    spread = spread_of(BETWEEN, ["x", "not measured"])
    assert spread is not None
    assert spread.sds.tolist() == [0.01, 0.02]
