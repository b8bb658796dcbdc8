"""Hardware efficiency of a leaderboard's entries, with means by hand."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.pages.base import short_names
from leaderboard.pages.efficiency.cells import FASTER_THAN_UNITS
from runs.models import Attempt, Run
from tests.leaderboard.arrays import WRONG

ADDRESS = "/efficiency/timed/all/h100-sxm/"
HALF = {"float32": 33.45e9}  # in 1 ms: 33.45 TFLOP/s, half of an H100's 66.9


def worked(run: Run, *sums: tuple[float, dict[str, float]] | None) -> None:
    """Give the run's results, in the order of their tasks, bytes and operations of 1 ms each; None: no sums."""
    results = run.results.order_by("task__category", "task__path")
    for result, one in zip(results, sums, strict=False):
        if one is not None:
            moved, flops = one
            Attempt.objects.filter(result=result).update(work_ms=1.0, work_bytes=moved, work_flops=flops)


@pytest.fixture
def two(timed: Any) -> tuple[Run, Run]:
    """One has scores of 20, 50 and 200 %, and nine tasks without one. Other fails the first; the second has 40 %.

    On an H100, 3.35 TB/s are the peak: in 1 ms 0.67 GB are 20 %, 1.34 GB 40 %.
    """
    one = timed("One", [0.3] * 12)
    worked(one, (0.67e9, {"float32": 0.0}), (0.67e9, HALF), (0.67e9, {"float32": 133.8e9}))
    other = timed("Other", [WRONG, *[0.1] * 11])
    worked(other, None, (1.34e9, {"float32": 0.0}))
    return one, other


def by_name(entries: Any) -> dict[str, Any]:
    return {entry.agent: entry for entry in entries}


def test_an_entry_has_means_over_its_correct_tasks_with_a_score(two, page) -> None:
    """One: (20 + 50 + 200) / 3 = 90 %; IOU 20 % on all three; MFU (50 + 200) / 2 = 125 %, as one has no operations."""
    found = by_name(page(ADDRESS).entries)
    one, other = found["One"].means, found["Other"].means
    assert (one.score, one.iou, one.mfu) == (pytest.approx(0.9), pytest.approx(0.2), pytest.approx(1.25))
    assert (one.scored, one.tasks, one.above) == (3, 12, 1)
    assert (other.score, other.iou, other.mfu) == (pytest.approx(0.4), pytest.approx(0.4), None)
    assert (other.scored, found["Other"].correct, found["One"].correct) == (1, 11, 12)


def test_a_share_above_100_percent_is_in_the_mean_unclipped_and_has_a_finding(two, page) -> None:
    shown = page(ADDRESS)
    assert shown.findings == (f"1\u00a0kernel: {FASTER_THAN_UNITS}",)
    [row] = [row for row in shown.tables["tasks"].cells() if (row["score"].value or 0) > 1]
    assert (row["score"].text.replace("\u00a0", " "), row["score"].mark) == ("200 %", "▲")


def test_types_of_operators_have_their_own_means(two, page) -> None:
    """Tasks 0 and 2 state no type, task 1 is of `reduce`. One: (20 + 200) / 2 = 110 %, and 50 %."""
    found = {(one.operator, one.configuration): one.means for one in page(ADDRESS).operators}
    run, _ = two
    slug = run.configuration.slug
    assert found["not stated", slug].score == pytest.approx(1.1)
    assert (found["not stated", slug].scored, found["not stated", slug].tasks) == (2, 6)
    assert found["reduce", slug].score == pytest.approx(0.5)
    assert page(ADDRESS).charts["operators"].rows


def test_a_task_of_several_runs_has_the_mean_over_them(two, timed, page) -> None:
    """The second run has 60 % where the first has 20 %: 40 %."""
    one, _ = two
    again = timed("", [0.3] * 12, configuration=one.configuration, repeat=1)
    worked(again, (2.01e9, {"float32": 0.0}))
    first = next(row for row in page(ADDRESS).tasks if row.configuration == one.configuration.slug)
    assert (first.found.score, first.timed, first.correct) == (pytest.approx(0.4), 2, 2)
    assert first.found.bytes_per_s == pytest.approx((0.67e12 + 2.01e12) / 2)


def test_a_result_that_does_not_count_has_no_number(two, page) -> None:
    one, _ = two
    first = one.results.order_by("task__category", "task__path").first()
    Attempt.objects.filter(result=first).update(is_held=True)
    means = by_name(page(ADDRESS).entries)["One"].means
    assert (means.scored, means.score) == (2, pytest.approx(1.25))


def test_a_task_without_a_number_says_why(two, page) -> None:
    rows = [row for row in page(ADDRESS).tasks if row.found.score is None]
    assert {row.found.missing for row in rows} == {
        "no correct result that counts",
        "no case with a speed that counts, or the task has changed since its model was stored",
    }


def test_a_functional_device_is_refused_and_a_class_without_peaks_keeps_its_rates(published, two, page) -> None:
    published()
    functional = page("/efficiency/smoke/all/cpu-x86_64/")
    assert "functional" in functional.refused
    assert functional.entries == ()
    one, _ = two
    type(one.device_class).objects.filter(pk=one.device_class_id).update(slug="unknown-gpu")
    shown = page("/efficiency/timed/all/unknown-gpu/")
    assert shown.findings == ("No IOU, MFU and score: no peak rates of this device class are known.",)
    assert by_name(shown.entries)["One"].means.score is None
    assert next(iter(shown.tasks)).found.bytes_per_s == pytest.approx(0.67e12)


def test_the_board_and_the_index_of_analyses_lead_to_it(two, client) -> None:
    assert f'href="{ADDRESS}"' in client.get("/board/timed/all/h100-sxm/").content.decode()
    assert f'href="{ADDRESS}"' in client.get("/analysis/").content.decode()


def test_its_numbers_are_in_csv_json_and_rows(two, client) -> None:
    table = client.get(f"/api/v1{ADDRESS}entries.json").json()
    assert {row["name"].split(". ")[-1]: row["score"] for row in table}["Other"] == pytest.approx(0.4)
    rows = client.get("/api/v1/rows/results/").json()["rows"]
    assert {(row["work_ms"], row["work_bytes"]) for row in rows} == {(1.0, 0.67e9), (1.0, 1.34e9), (None, None)}
    assert HALF in [row["work_flops"] for row in rows]
    tasks = client.get("/api/v1/rows/tasks/").json()["rows"]
    assert all(row["work"] == {} for row in tasks)


def test_it_asks_six_questions_at_most(two, client, django_assert_max_num_queries) -> None:
    with django_assert_max_num_queries(6):
        assert client.get(ADDRESS).status_code == 200


def test_columns_have_the_shortest_names_that_tell_entries_apart(two, page) -> None:
    """Whole names were cut off above the columns of a chart, and models alone stood for several agents."""
    assert [name for _, name in page(ADDRESS).charts["operators"].columns] == ["One", "Other"]
    assert short_names([("A", "m"), ("B", "n")]) == ["m", "n"]
    assert short_names([("A", "m"), ("B", "m")]) == ["A", "B"]
    assert short_names([("A", "m"), ("A", "n"), ("B", "n")]) == ["A · m", "A · n", "B · n"]
    assert short_names([("A", None), ("B", "n")]) == ["A", "n"]
    assert short_names([]) == []
