"""A board over time: who was ranked at the end of each day."""

from __future__ import annotations

from datetime import timedelta

from leaderboard.pages.board import history
from runs.models import AuditEntry, Run
from tests import factories
from tests.leaderboard.timed import TASKS, noisy

HISTORY, BOARD = "/history/timed/all/h100-sxm/", "/board/timed/all/h100-sxm/"
LATER = factories.NOON + timedelta(days=3)


def test_each_day_has_the_ranks_that_the_board_has_as_of_that_day(timed, page) -> None:
    timed("Old", noisy(0.1))
    timed("New", noisy(0.5), published_at=LATER)
    timed("Baseline", noisy(0.9), role="reference_line")
    days = page(HISTORY).days
    assert [(one.day, [entry.agent for entry in one.entries]) for one in days] == [
        ("2026-11-04", ["New", "Old"]),
        ("2026-11-01", ["Old"]),
    ]
    assert [[cell.text for cell in (row["leaders"], row["new"])] for row in page(HISTORY).tables["days"].cells()] == [
        ["New", "New"],
        ["Old", "Old"],
    ]
    for one in days:
        ranked = [entry for entry in page(f"{BOARD}?as_of={one.day}").entries if entry.rank is not None]
        assert [(entry.rank, entry.value) for entry in one.entries] == [
            (entry.rank, entry.usable_speedup.value) for entry in ranked
        ]


def test_another_result_that_is_published_makes_a_day(timed, page) -> None:
    run = timed("One", [0.5] * TASKS)
    result = run.results.first()
    before = result.published_attempt
    after = factories.make_attempt(result=result, status="wrong_output")
    entry = AuditEntry.objects.create(
        actor_name="admin", action="publish", run=run, result=result, from_attempt=before, to_attempt=after
    )
    AuditEntry.objects.filter(pk=entry.pk).update(at=LATER)
    factories.publish(after)
    assert [(one.day, one.entries[0].correct) for one in page(HISTORY).days] == [
        ("2026-11-04", TASKS - 1),
        ("2026-11-01", TASKS),
    ]


def test_the_oldest_day_shown_names_as_new_who_was_not_ranked_on_the_day_before(timed, page, monkeypatch) -> None:
    monkeypatch.setattr(history, "MOST_DAYS", 1)
    timed("Old", noisy(0.1))
    timed("New", noisy(0.5), published_at=LATER)
    shown = page(HISTORY)
    assert [(one.day, len(one.entries)) for one in shown.days] == [("2026-11-04", 2)]
    assert shown.tables["days"].cells()[0]["new"].text == "New"
    assert shown.all_days == 2


def test_a_run_that_was_withdrawn_and_published_again_is_there_from_then_on(timed, page) -> None:
    run = timed("One", noisy(0.1))
    Run.objects.filter(pk=run.pk).update(published_at=LATER)
    assert [(one.day, len(one.entries)) for one in page(HISTORY).days] == [("2026-11-04", 1)]


def test_the_chart_names_the_first_of_each_day_oldest_first(timed, page) -> None:
    timed("Old", noisy(0.1))
    timed("New", noisy(0.5), published_at=LATER)
    assert [(row.label, row.note) for row in page(HISTORY).charts["leaders"].rows] == [
        ("2026-11-01", "Old"),
        ("2026-11-04", "New"),
    ]


def test_a_board_without_runs_says_so(timed, page) -> None:
    timed("One", noisy(0.1), protocol="arena-1")
    assert "Nothing is published" in page(HISTORY).tables["days"].empty
