"""pass@k from the runs of a configuration, by hand and by counting subsets; its column on leaderboards."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean
from typing import Any

import pytest

from leaderboard.pages.board.cells import pass_cell
from leaderboard.pages.board.fields import rank_fields
from leaderboard.statistics.limits import MISSING
from leaderboard.statistics.results import ResultMatrix
from leaderboard.statistics.samples import KS, NO_SAMPLES, pass_at_k
from tests.leaderboard.arrays import BROKEN, WRONG, right
from tests.leaderboard.timed import TASKS

ADDRESS = "/board/timed/hip2hip/h100-sxm/"
RIGHT = right(0.3)


def solved(*counts: int, runs: int) -> ResultMatrix:
    """A task for each count, right in so many of the runs."""
    return ResultMatrix.from_rows([[RIGHT] * right + [WRONG] * (runs - right) for right in counts])


@pytest.mark.parametrize(("k", "tasks", "share"), [(1, 2.0, 0.5), (2, 8 / 3, 2 / 3), (3, 3.0, 0.75)])
def test_it_is_the_unbiased_estimator_of_each_task_and_their_mean(k: int, tasks: float, share: float) -> None:
    """Four tasks, right in 0, 1, 2 and 3 of three runs.

    k = 1: 0 + 1/3 + 2/3 + 1 = 2 of 4. k = 2: of C(3, 2) = 3 pairs all miss in 3, 1, 0 and 0, so
    0 + 2/3 + 1 + 1 = 8/3 of 4. k = 3: the only triple misses the first task, so 3 of 4.
    """
    found = pass_at_k(solved(0, 1, 2, 3, runs=3), k)
    assert (found.tasks, found.of, found.share, found.refused) == (tasks, 4, share, None)


@pytest.mark.parametrize("k", [1, 2, 4, 7])
def test_it_is_the_share_of_all_subsets_of_k_runs_with_a_right_one(k: int) -> None:
    """The order of a task's runs does not matter."""
    rows = [[WRONG, RIGHT, BROKEN, RIGHT, WRONG, WRONG, WRONG], [WRONG] * 7, [WRONG] * 6 + [RIGHT]]
    chosen = [[any(subset) for subset in combinations([one.correct for one in row], k)] for row in rows]
    found = pass_at_k(ResultMatrix.from_rows(rows), k)
    assert found.share == pytest.approx(fmean(fmean(each) for each in chosen), rel=1e-15)


def test_whole_numbers_leave_nothing_to_rounding() -> None:
    """Of 1000 runs 1 is right: 1 − C(999, 10)/C(1000, 10) = 10/1000 exactly; so is the mean of 500 such tasks."""
    assert pass_at_k(solved(*[1] * 500, runs=1000), 10).share == 0.01


def test_pass_at_1_is_the_rate_of_correct_results() -> None:
    matrix = solved(0, 1, 1, 3, 2, runs=3)
    assert pass_at_k(matrix, 1).share == pytest.approx(float(matrix.correct.mean()))


@pytest.mark.parametrize(
    ("matrix", "k", "refused"),
    [
        (solved(1, 2, runs=2), 3, "pass@3 needs 3 runs of the configuration; there are 2."),
        (solved(1, runs=1), 2, "pass@2 needs 2 runs of the configuration; there is 1."),
        (ResultMatrix.from_rows([[RIGHT, None]]), 1, MISSING),
    ],
)
def test_there_is_none_from_fewer_runs_or_where_a_result_is_missing(matrix: ResultMatrix, k: int, refused: str) -> None:
    found = pass_at_k(matrix, k)
    assert (found.tasks, found.share, found.refused) == (None, None, refused)


def test_a_reference_line_has_no_samples() -> None:
    assert pass_at_k(solved(1, 2, runs=3), 2, is_sampled=False).refused == NO_SAMPLES


def repeated(timed: Any, name: str, *runs: list[Any], **values: Any) -> str:
    """Runs of one configuration; returns its slug."""
    first = timed(name, runs[0], **values)
    for repeat, results in enumerate(runs[1:], 1):
        timed(name, results, configuration=first.configuration, repeat=repeat, **values)
    return str(first.configuration.slug)


def test_a_leaderboard_shows_it_for_as_many_runs_as_an_entry_has(timed: Any, client: Any) -> None:
    """One: six of twelve tasks right in both runs, three in one, three in none: pass@2 = 9/12, pass@1 = 15/24."""
    one = repeated(
        timed,
        "One",
        [RIGHT] * 6 + [RIGHT] * 3 + [WRONG] * 3,
        [RIGHT] * 6 + [WRONG] * 3 + [WRONG] * 3,
    )
    other = repeated(timed, "Other", [RIGHT] * TASKS)
    body = client.get(ADDRESS).content.decode()
    assert 'href="/metrics/#pass-at-k"' in body
    assert "75\u00a0%" in body
    assert "needs 2 runs" in body
    entries = {entry["configuration"]: entry for entry in client.get(f"/api/v1{ADDRESS}").json()["entries"]}
    assert [(at["k"], at["tasks"], at["share"]) for at in entries[one]["pass_at"]] == [
        *((1, 7.5, 0.625), (2, 9.0, 0.75), (3, None, None), (5, None, None), (10, None, None)),
    ]
    assert entries[other]["pass_at"][1]["refused"] == "pass@2 needs 2 runs of the configuration; there is 1."


def test_a_leaderboard_without_repeats_has_no_column_and_its_csv_has_all(timed: Any, client: Any) -> None:
    timed("One", [RIGHT] * TASKS)
    assert b"pass@" not in client.get(ADDRESS).content
    header = client.get(f"/api/v1{ADDRESS}entries.csv").getvalue().decode().splitlines()[0].split(",")
    assert [name for name in header if name.startswith("pass_at")] == [f"pass_at_{k}" for k in KS]


def test_what_a_citation_is_of_has_no_columns_that_came_later(timed: Any, client: Any) -> None:
    repeated(timed, "One", [RIGHT] * TASKS, [RIGHT] * TASKS)
    citation = client.get(f"/api/v1{ADDRESS}").json()["citation"]
    assert "pass_at" not in client.get(citation["csv_url"]).getvalue().decode()


@pytest.mark.parametrize(
    ("matrix", "is_sampled", "text", "note"),
    [
        (solved(*[1] * 9, runs=3), True, "6\u00a0of\u00a09", ""),  # 1 − C(2, 2)/C(3, 2) = 2/3 of each task
        (solved(*[1] * 10, runs=3), True, "67\u00a0%", ""),
        (solved(1, runs=1), True, "–", "needs 2 runs"),
        (ResultMatrix.from_rows([[RIGHT, None]]), True, "–", "results missing"),
        (solved(1, runs=3), False, "–", ""),
    ],
)
def test_its_cell_has_no_percentage_below_ten_tasks(
    matrix: ResultMatrix, is_sampled: bool, text: str, note: str
) -> None:
    cell = pass_cell(pass_at_k(matrix, 2, is_sampled=is_sampled))
    assert (cell.text, cell.note) == (text, note)


def test_reference_lines_do_not_make_a_column() -> None:
    shown = [field.key for field in rank_fields(has_speed=True, has_cost=False) if field.on_page]
    assert not [key for key in shown if key.startswith("pass_at")]
    shown = [field.key for field in rank_fields(has_speed=True, has_cost=False, most_samples=7) if field.on_page]
    assert [key for key in shown if key.startswith("pass_at")] == ["pass_at_5"]
