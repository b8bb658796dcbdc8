"""The comparison of two attempts: which ones, what differs, and what stays secret."""

from __future__ import annotations

from datetime import UTC, datetime

from evaluator import VERSION
from evaluator.records.record import PROTOCOL
from tests import factories


def cells(page, slug: str) -> dict[str, tuple[str, ...]]:
    """The texts of each row by that of its first cell."""
    rows = [[cell.text for cell in row.values()] for row in page.tables[slug].cells()]
    return {name: tuple(texts) for name, *texts in rows}


def test_the_two_newest_attempts_are_compared(suite, page, client) -> None:
    result = factories.make_run(suite=suite, status="passed", state="published").results.first()
    factories.make_attempt(result=result, status="wrong_output", evaluator="9.0.0")
    shown = page(f"/result/{result.pk}/attempts/")
    assert (shown.old.number, shown.new.number, shown.published) == (1, 2, 1)
    facts = cells(shown, "facts")
    assert facts["Status"] == ("passed", "wrong output", "differs")
    assert facts["Evaluator"] == (VERSION, "9.0.0", "differs")
    assert facts["Protocol"] == (PROTOCOL, PROTOCOL, "same")
    assert cells(shown, "cases")["cols=8,rows=4"] == ("correct", "–", "wrong", "–", "differs")
    assert "status: passed → wrong output" in shown.changes
    body = client.get(f"/result/{result.pk}/attempts/").content.decode()
    assert "Changed from attempt 1 to attempt 2" in body
    assert "attempt 1 is published" in body


def test_any_two_can_be_chosen_and_an_odd_choice_is_the_default(suite, page) -> None:
    result = factories.make_run(suite=suite, status="passed").results.first()
    for status in ("wrong_output", "crashed"):
        factories.make_attempt(result=result, status=status)
    address = f"/result/{result.pk}/attempts/"
    for query, numbers in {"": (2, 3), "?old=1": (1, 3), "?new=2": (1, 2), "?old=9&new=x": (2, 3)}.items():
        shown = page(address + query)
        assert (shown.old.number, shown.new.number) == numbers, query
    assert [choice.name for choice in shown.choices] == ["old", "new"]


def test_with_one_attempt_there_is_nothing_to_compare(suite, page, client) -> None:
    result = factories.make_run(suite=suite, status="passed").results.first()
    assert "only one attempt" in page(f"/result/{result.pk}/attempts/").lead
    assert client.get(f"/result/{result.pk}/attempts/").status_code == 200
    assert client.get("/result/999999/attempts/").status_code == 404


def test_a_withheld_attempt_looks_as_if_it_waited(suite, page) -> None:
    run = factories.make_run(suite=suite, status="passed", round=factories.make_round(suite=suite, revealed_at=None))
    result = run.results.first()
    factories.make_attempt(result=result, status="wrong_output", ended_at=datetime.now(UTC))
    assert cells(page(f"/result/{result.pk}/attempts/"), "facts")["Status"][1] == "queued"


def test_the_history_of_a_result_leads_there(suite, client) -> None:
    result = factories.make_run(suite=suite, status="passed").results.first()
    factories.make_attempt(result=result, status="wrong_output")
    assert f"/result/{result.pk}/attempts/?old=1&amp;new=2" in client.get(f"/result/{result.pk}/").content.decode()
