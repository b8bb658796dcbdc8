"""The compare page: pairs over the same tasks, each task by its difference, common tasks on request."""

from __future__ import annotations

from math import log

import pytest

from leaderboard.statistics.comparisons import NOT_COMPLETE
from tests.leaderboard.arrays import WRONG
from tests.leaderboard.timed import noisy

PAGE = "/compare/timed/hip2hip/h100-sxm/"


def slugs(page):
    return {entry.agent: entry.configuration for entry in page("/board/timed/hip2hip/h100-sxm/").entries}


def test_without_a_word_the_first_two_are_compared(timed, page) -> None:
    for name, mean in (("Third", 0.1), ("First", 0.5), ("Second", 0.3)):
        timed(name, noisy(mean))
    shown = page(PAGE)
    assert [entry.agent for entry in shown.entries] == ["First", "Second"]
    [pair] = shown.pairs
    assert pair.usable_speedup.estimate == pytest.approx(2.718281828**0.2)
    assert pair.usable_speedup.is_significant
    assert (pair.usable_speedup.wins, pair.usable_speedup.losses) == (12, 0)


def test_the_address_names_who_is_compared_and_in_which_order(timed, page) -> None:
    for name in ("A", "B", "C"):
        timed(name, noisy(0.2))
    known = slugs(page)
    shown = page(f"{PAGE}?a={known['C']}&b={known['A']}&c={known['C']}&d=nobody")
    assert [entry.agent for entry in shown.entries] == ["C", "A"]
    assert len(page(f"{PAGE}?a={known['C']}&b={known['A']}&f={known['B']}").pairs) == 3


def test_tasks_stand_with_the_largest_difference_first(timed, page) -> None:
    timed("One", [log(2.0), *[0.5] * 10, WRONG])
    timed("Other", [log(4.0), *[0.5] * 10, log(8.0)])
    lines = page(PAGE).tasks
    assert [line.difference for line in lines[:3]] == pytest.approx([8, 2, 1])
    assert {found.correct for found in lines[0].entries} == {0, 1}


def test_every_task_is_a_spot_of_the_drawing(timed, page) -> None:
    timed("One", noisy(0.5))
    timed("Other", noisy(0.3))
    chart = page(PAGE).charts["tasks"]
    assert len(chart.spots) == 12
    assert (chart.axis, chart.above) == ("usable speedup of One", "Other better")


def test_an_incomplete_entry_is_compared_on_common_tasks_only_when_asked(timed, page) -> None:
    timed("Gap", [None, *noisy(0.5)[1:]])
    timed("Whole", noisy(0.3))
    known = slugs(page)
    address = f"{PAGE}?a={known['Gap']}&b={known['Whole']}"
    [pair] = page(address).pairs
    assert pair.usable_speedup.refused == NOT_COMPLETE
    assert len(page(address).tasks) == 12
    common = page(f"{address}&common=1")
    assert common.pairs[0].usable_speedup.refused == "A comparison needs 12 tasks; there are 11."
    assert len(common.tasks) == 11
    assert common.notice.startswith("Only the 11 of 12 tasks")


def test_on_a_functional_device_only_correctness_is_compared(published, entry, page) -> None:
    published("wrong_output", *["passed"] * 5, configuration=entry("One"))
    published(configuration=entry("Other"))
    shown = page("/compare/smoke/all/cpu-x86_64/")
    [pair] = shown.pairs
    assert (pair.usable_speedup, shown.charts) == (None, {})
    assert pair.correctness.refused == "A comparison needs 12 tasks; there are 6."
    assert shown.tasks[0].difference == 1
    assert not [column.key for column in shown.tables["pairs"].fields if "speed" in column.key]


def test_what_the_tests_say_is_words_with_p_and_tasks(timed, page) -> None:
    timed("One", noisy(0.5))
    timed("Other", noisy(0.1))
    [[row]] = [rows for _, rows in page(PAGE).tables["pairs"].shown_groups]
    texts = {column.key: (cell.text, cell.note) for column, cell in row}
    assert texts["speed_significant"] == ("first is faster, p\u00a0<\u00a00.0001", "12, 0, 0 tasks won, tied, lost")
    assert texts["correct_significant"][0] == "The test needs a difference on 6 tasks; there are 0."


def test_one_entry_alone_is_told_to_find_another(timed, client) -> None:
    timed("One", noisy(0.5))
    assert "Choose two to six entries of this leaderboard." in client.get(PAGE).content.decode()


def test_an_empty_board_has_nothing_to_compare(suite, client) -> None:
    from tests import factories

    factories.make_device_class()
    assert "There is nothing to compare" in client.get("/compare/smoke/all/cpu-x86_64/").content.decode()
