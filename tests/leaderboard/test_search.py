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
    factories.make_device_class(slug="some-card", title="A card for Gelu")
    assert names(page("/search/?q=gelu")) == [
        ("task", "GELU"),
        ("entry", "Gelu Tuner · Gelu 5"),
        ("agent", "Gelu Tuner"),
        ("model", "Gelu 5"),
        ("suite", "gelu-suite@1"),
        ("device", "A card for Gelu"),
    ]


def test_what_is_the_text_itself_comes_first_then_what_begins_with_it(db, page) -> None:
    for name in ("Fast_GELU", "GELU", "GELU_fused"):
        factories.make_agent(name=name, slug=name.lower())
        factories.make_task(name=name)
    found = names(page("/search/?q=gelu"))
    assert [name for _, name in found] == ["GELU", "GELU", "GELU_fused", "GELU_fused", "Fast_GELU", "Fast_GELU"]
    assert [kind for kind, _ in found] == ["task", "agent"] * 3


@pytest.mark.parametrize("words", ["h200 triton smoke", "Triton Smoke H200", "smoke triton2triton sm_90"])
def test_a_board_is_found_by_suite_device_and_category_in_any_order(suite, page, words) -> None:
    device = factories.make_device_class(slug="h200-sxm", title="NVIDIA H200", architecture="sm_90")
    factories.make_run(suite=suite, device_class=device, state="published")
    [found] = page(f"/search/?q={words}").found
    assert (found.kind, found.name) == ("board", "Smoke on NVIDIA H200, Triton to Triton")
    assert found.url == "/board/smoke/triton2triton/h200-sxm/"


def test_a_board_and_its_device_are_found_once_the_board_is_public(suite, page) -> None:
    device = factories.make_device_class(slug="h200-sxm", title="NVIDIA H200", architecture="sm_90")
    factories.make_run(suite=suite, device_class=device)
    assert names(page("/search/?q=h200")) == [("device", "NVIDIA H200")]
    factories.make_run(suite=suite, device_class=device, state="published", protocol="arena-1")
    found = page("/search/?q=h200").found
    assert [one.kind for one in found] == ["device", "board"], "the device begins with nothing, its slug with the text"
    assert found[1].url == "/board/smoke/all/h200-sxm/?protocol=arena-1"


@pytest.mark.parametrize("words", ["normalization", "layer normalization triton", "TRITON layer"])
def test_a_task_is_found_by_its_operator_and_category(db, page, words) -> None:
    for category in ("hip2hip", "triton2triton"):
        name = "layer" if category == "triton2triton" else "other"
        factories.make_task(category=category, name=name, provenance={"operator_type": "Normalization"})
    factories.make_task(name="gemm")
    assert ("task", "layer") in names(page(f"/search/?q={words}"))
    assert ("task", "gemm") not in names(page(f"/search/?q={words}"))


def test_tasks_of_one_name_are_told_apart_by_their_category(db, page) -> None:
    for category in ("hip2hip", "torch2hip"):
        factories.make_task(category=category, name="softmax", provenance={"operator_type": "Normalization"})
    assert [one.about for one in page("/search/?q=softmax").found] == [
        "HIP to HIP · Normalization",
        "PyTorch to HIP · Normalization",
    ]


def test_entries_of_one_name_are_told_apart_by_their_configuration(db, page) -> None:
    agent = factories.make_agent(name="Block Tuner")
    for slug, role in (("tuner-6", "entry"), ("tuner-12", "entry"), ("tuner-0", "reference_line")):
        factories.make_configuration(slug=slug, agent=agent, model=None, role=role, settings={"slug": slug})
    found = [(one.kind, one.name, one.about) for one in page("/search/?q=block tuner").found]
    assert found == [
        ("agent", "Block Tuner", "external"),
        ("entry", "Block Tuner", "tuner-12"),
        ("entry", "Block Tuner", "tuner-6"),
        ("reference line", "Block Tuner", "tuner-0"),
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
