"""The attribution page: who and what explains success, what nobody solves, what is slower, what predicts failure."""

from __future__ import annotations

from math import log

import pytest

from runs.models import Task
from tests import factories
from tests.leaderboard.arrays import BROKEN, WRONG, right
from tests.leaderboard.timed import TASKS, make_timed_run

PAGE = "/attribution/timed/hip2hip/h100-sxm/"
FAST, SLOW = right(0.5), right(-0.5)


def by_type(odd, even):
    """Outcomes of the twelve tasks: those with an odd number are reductions, the others state no type."""
    return [even if n % 2 == 0 else odd for n in range(TASKS)]


def test_too_few_entries_are_refused_with_their_number(timed, page) -> None:
    timed("One", [FAST] * TASKS)
    timed("Line", [FAST] * TASKS, role="reference_line")
    shown = page(PAGE)
    text = "An attribution needs 3 complete entries that solve a task; there is 1."
    assert shown.refusals == {"correctness": text, "compilation": text}
    assert shown.tables["explained"].empty == text
    assert shown.explained == ()


def test_the_type_explains_what_no_entry_does(timed, page) -> None:
    # Each entry passes 5 of 6 reductions and 1 of 6 others. The model on types, by hand without a ridge:
    # D = −2·6·(5·log(5/6) + log(1/6)) = 32.44, D₀ = −2·36·log ½ = 49.91, 1 − D/D₀ = 0.350; the entry adds nothing.
    for name in ("One", "Two", "Three"):
        odd, even = [FAST] * 5 + [WRONG], [FAST] + [WRONG] * 5
        timed(name, [each for pair in zip(even, odd, strict=True) for each in pair])
    shown = page(PAGE)
    found = {(one.rate, one.factor): one for one in shown.explained}
    assert found["correctness", "type"].plain_share == pytest.approx(0.350, abs=5e-4)
    assert found["correctness", "entry"].plain_share == pytest.approx(0.0, abs=1e-9)
    assert (found["correctness", "type"].df, found["correctness", "entry"].df) == (1, 2)
    assert shown.type_name == "operator type"
    assert shown.refusals == {"compilation": "All results are alike, so that there is nothing to explain."}
    assert shown.explanations["correctness"].dependence.ratio == pytest.approx(3.0)  # all three agree on each task
    assert any("agree" in text for text in shown.no_chi_squared)
    assert shown.answers[0].startswith("Correct or not: the operator type explains ")


def test_who_solves_nothing_and_who_has_no_verdict_is_left_out_and_named(timed, page) -> None:
    for name in ("One", "Two", "Three"):
        timed(name, by_type(FAST, WRONG))
    timed("Nothing", [WRONG] * TASKS)
    timed("Gap", [None, *[FAST] * (TASKS - 1)])
    shown = page(PAGE)
    assert {one.name: one.because for one in shown.left_out} == {
        "Nothing": "solves no task, as the method that the paper leaves out",
        "Gap": "has results without a verdict",
    }
    assert len(shown.entries) == 3


def test_what_nobody_solves_is_counted_by_type_and_listed(timed, page) -> None:
    timed("One", [FAST, WRONG, BROKEN, BROKEN, *[FAST] * 8])
    timed("Two", [WRONG, BROKEN, BROKEN, None, *[FAST] * 8])
    timed("Line", [FAST] * TASKS, role="reference_line")  # solves all, and is no entry
    shown = page(PAGE)
    assert {one.type: (len(one.unsolved), one.judged) for one in shown.unsolved} == {
        "not stated": (1, 6),
        "reduce": (2, 6),
    }
    tasks = sorted(Task.objects.values_list("path", flat=True))
    assert [(one.task, one.compiled, one.judged) for one in shown.unsolved_tasks] == [
        (tasks[1], 1, 2),
        (tasks[2], 0, 2),
        (tasks[3], 0, 1),
    ]
    assert "No entry solves 3 of 12\u00a0tasks." in shown.answers


def test_slower_by_interval_and_by_speedup_and_the_pooled_median(timed, page) -> None:
    # Interval ± 0.01: −0.5 is below 1 in both senses, −0.005 by the speedup alone; one correct result has no speed.
    # Median of −0.5 ×4, −0.005 ×2, 0.5 ×5 of One: the sixth, −0.005; of all 22 between the 11th and 12th, 0.5.
    one = [SLOW] * 4 + [right(-0.005)] * 2 + [FAST] * 5 + [right(None)]
    timed("One", one)
    timed("Two", [FAST] * 11 + [WRONG])
    whole, *each = page(PAGE).slower
    assert (whole.found.correct, whole.found.timed, whole.found.below, whole.found.under) == (23, 22, 4, 6)
    assert whole.found.median == pytest.approx(2.718281828**0.5)
    single = {entry.name: entry.found for entry in each}["One"]
    assert (single.timed, single.below, single.under) == (11, 4, 6)
    assert log(single.median) == pytest.approx(-0.005)
    cells = page(PAGE).tables["slower"].cells()
    assert cells[0]["under"].text == "6\u00a0of\u00a022 (27\u00a0%)"


def test_a_share_of_fewer_than_ten_tasks_is_no_percentage_and_few_have_no_median(timed, page) -> None:
    timed("One", [SLOW] * 5 + [WRONG] * 7)
    row = page(PAGE).tables["slower"].cells()[0]
    assert (row["below"].text, row["median"].value) == ("5\u00a0of\u00a05", None)
    assert row["refused"].value == "A median needs correct results with a speed in 6 tasks; there are 5."


def test_a_functional_device_has_no_slower_results(published, page) -> None:
    published()
    shown = page("/attribution/smoke/all/cpu-x86_64/")
    assert shown.slower == ()
    assert "functional" in shown.tables["slower"].empty
    assert shown.type_name == "category"


def test_a_proxy_is_held_against_pooled_failure(timed, page) -> None:
    from scipy.stats import pearsonr

    timed("One", [FAST] * 6 + [WRONG] * 6)
    timed("Two", [FAST] * 9 + [BROKEN] * 3)
    for at, task in enumerate(Task.objects.order_by("path")):
        task.proxies = {"assignments": at, "calls": 3, "complexity": at % 5, "span": 2 * at}
        task.save()
    found = {(one.proxy, one.rate): one.found for one in page(PAGE).proxies}
    failed = [0] * 6 + [0.5] * 3 + [1] * 3
    assert found["assignments", "correctness"].r == pytest.approx(pearsonr(range(12), failed).statistic)
    assert found["assignments", "compilation"].r == pytest.approx(pearsonr(range(12), [0] * 9 + [0.5] * 3).statistic)
    assert found["calls", "correctness"].refused == "One of the two is the same on every task."
    row = next(row for row in page(PAGE).tables["proxies"].cells() if row["proxy"].value == "span")
    assert (row["tasks"].value, row["printed_r"].text) == (12, "0.1453")


def test_without_counted_references_it_says_so(timed, page) -> None:
    timed("One", [FAST] * TASKS)
    shown = page(PAGE)
    assert shown.proxies == ()
    assert "No task here starts from PyTorch" in shown.tables["proxies"].empty


def test_several_runs_are_a_share_and_have_no_p_by_chi_squared(timed, page) -> None:
    for name in ("One", "Two", "Three"):
        run = timed(name, by_type(FAST, WRONG))
        results = [WRONG] * 3 + [FAST] * 3 + by_type(FAST, WRONG)[6:]
        make_timed_run(suite=run.suite, name=name, results=results, configuration=run.configuration, repeat=1)
    shown = page(PAGE)
    assert "Correct: Runs of one entry on one task are not independent." in shown.no_chi_squared
    assert shown.explanations["correctness"].separation.cells == 6


def test_the_board_and_the_index_lead_here(timed, page) -> None:
    timed("One", [FAST] * TASKS)
    assert PAGE in [link.url for link in page("/board/timed/hip2hip/h100-sxm/").views]
    assert "attribution" in page("/analysis/").boards[0]


def test_a_board_without_a_run_says_what_to_do(db, page) -> None:
    factories.make_suite([factories.make_task() for _ in range(2)], name="empty")
    factories.make_device_class(slug="h100-sxm", is_functional=False)
    shown = page("/attribution/empty/all/h100-sxm/")
    assert shown.tables["unsolved"].empty.endswith("see Submit.")
    assert shown.answers == ()
