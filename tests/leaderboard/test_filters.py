from __future__ import annotations

import pytest

from leaderboard.filters import RunFilter


def test_the_url_holds_the_whole_state() -> None:
    wanted = RunFilter(suite="smoke", device="cpu-x86_64", state="draft", page=3)
    assert RunFilter.from_query({"suite": "smoke", "device": "cpu-x86_64", "state": "draft", "page": "3"}) == wanted
    assert wanted.url(page=4) == "?suite=smoke&device=cpu-x86_64&state=draft&page=4"


def test_another_filter_starts_at_the_first_page() -> None:
    assert RunFilter(suite="smoke", page=3).url(suite="native-24") == "?suite=native-24"
    assert RunFilter().url() == "?"


@pytest.mark.parametrize("page", ["0", "-1", "abc", "", "1e9", "99999999999", "²", "１"])
def test_an_odd_page_falls_back(page: str) -> None:
    assert RunFilter.from_query({"page": page}).page == 1


def test_an_unknown_state_is_dropped() -> None:
    assert RunFilter.from_query({"state": "'; DROP TABLE"}) == RunFilter()


def test_it_says_in_a_sentence_what_is_shown() -> None:
    assert RunFilter().sentence == "All runs, newest first."
    assert RunFilter(suite="smoke", state="draft").sentence == "Draft runs on suite smoke, newest first."
