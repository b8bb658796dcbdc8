"""Search by words in names and by the start of a digest, one page at most."""

from __future__ import annotations

import pytest

from leaderboard.pages.search import MOST_HITS
from tests import factories


def names(page) -> list[tuple[str, str]]:
    return [(one.kind, one.name) for one in page.found]


def test_an_empty_search_asks_for_a_name(db, client) -> None:
    body = client.get("/search/").content.decode()
    assert "Enter a name, or at least six digits of a digest" in body


def test_what_is_not_there_says_what_to_try(db, client) -> None:
    body = client.get("/search/?q=nothing+like+this").content.decode()
    assert "All words must match" in body
    assert 'value="nothing like this"' in body


def test_every_kind_is_found_by_its_name(db, page) -> None:
    agent = factories.make_agent(name="Gelu Tuner", slug="gelu-tuner")
    model = factories.make_model_version(name="Gelu 5", slug="gelu-5")
    factories.make_configuration(slug="gelu-config", agent=agent, model=model)
    factories.make_suite([factories.make_task(name="GELU")], name="gelu-suite")
    factories.make_task(name="softmax")
    assert names(page("/search/?q=gelu")) == [
        ("agent", "Gelu Tuner"),
        ("model", "Gelu 5"),
        ("configuration", "gelu-config"),
        ("task", "GELU"),
        ("suite", "gelu-suite@1"),
    ]


def test_a_model_is_found_by_its_exact_identifier(db, page) -> None:
    factories.make_model_version(name="Opus", identifier="claude-opus-4-6")
    assert names(page("/search/?q=claude-opus-4-6")) == [("model", "Opus")]


def test_all_words_have_to_match(db, page) -> None:
    factories.make_agent(name="Block Tuner")
    factories.make_agent(name="Block Breaker")
    assert names(page("/search/?q=tuner++block")) == [("agent", "Block Tuner")]


def test_a_task_is_found_by_its_digest_in_any_version(db, page) -> None:
    old = factories.make_task(name="old", is_current=False)
    shown = page(f"/search/?q={old.digest[:10].upper()}")
    [found] = shown.found
    assert (found.kind, found.url) == ("older task", f"/task/hip2hip/arena/old/?digest={old.digest[:12]}")


def test_a_result_is_found_by_its_candidate_and_by_its_record(suite, page) -> None:
    run = factories.make_run(suite=suite, status="passed")
    result = run.results.first()
    digests = (result.candidate_digest, result.attempts.get().record_digest)
    for digest in digests:
        assert [one.result for one in page(f"/search/?q={digest[:16]}").results] == [result.pk]


def test_five_digits_are_no_digest(suite, page) -> None:
    result = factories.make_run(suite=suite, status="passed").results.first()
    assert page(f"/search/?q={result.candidate_digest[:5]}").results == ()


def test_a_long_list_is_cut_and_says_so(db, page) -> None:
    for number in range(MOST_HITS + 1):
        factories.make_agent(name=f"Tuner {number:02}")
    shown = page("/search/?q=tuner")
    assert len(shown.found) == MOST_HITS
    assert shown.is_cut
    assert "Add a word" in shown.lead


@pytest.mark.parametrize("query", ["%25", "_", "%00", "a" * 5000, "'; DROP TABLE", "%F0%9F%92%A5", "</title><b>"])
def test_odd_searches_find_nothing_and_break_nothing(db, client, query) -> None:
    factories.make_agent(name="Tuner")
    answer = client.get(f"/search/?q={query}")
    assert answer.status_code == 200
    assert answer.context["page"].found == ()
    assert b"<b>" not in answer.content
