"""Code quality on pages: of a result, of a board's entries and types of operator, and beside what bundles claim."""

from __future__ import annotations

from typing import Any

import pytest

from runs.models import Claim, Result, Run
from tests import factories
from tests.leaderboard.arrays import WRONG
from tests.leaderboard.timed import TASKS

PAGE = "/quality/timed/hip2hip/h100-sxm/"


def part(**changes: Any) -> dict[str, Any]:
    plain = {"functions": 1, "lines": 10, "mean_complexity": 2.0, "max_complexity": 2, "maintainability": 60.0}
    return plain | changes


def python(kernel: Any = None, host: Any = None) -> dict[str, Any]:
    return {"language": "python", "kernel": kernel, "host": host}


def measure(run: Run, figures: list[dict[str, Any] | None]) -> None:
    """Give the first results of a run these figures, in the order of their tasks' paths."""
    for result, one in zip(run.results.order_by("task__path"), figures, strict=False):
        Result.objects.filter(pk=result.pk).update(code_quality=one)


def test_an_entry_has_medians_over_its_correct_results_with_their_number(timed, page) -> None:
    run = timed("One", [0.5] * 4 + [WRONG] + [None] * (TASKS - 5))
    figures = [
        python(part(maintainability=50.0, max_complexity=3, mean_complexity=1.5, lines=8), part(maintainability=None)),
        python(part(maintainability=70.0, max_complexity=8, mean_complexity=4.0, lines=30)),
        python(part(maintainability=None, max_complexity=4, mean_complexity=2.5, lines=10), part()),
        {"because": "it does not parse"},  # correct, and without figures
        python(part(maintainability=1.0)),  # wrong: counts nowhere
    ]
    measure(run, figures)
    [entry] = page(PAGE).entries
    assert (entry.correct, entry.measured) == (4, 3)
    # Kernels: indexes 50 and 70, so 60 of 2; largest complexities 3, 4, 8; means 1.5, 2.5, 4; lines 8, 10, 30.
    kernel = entry.kernel
    assert (kernel.maintainability, kernel.maintainability_of, kernel.candidates) == (60.0, 2, 3)
    assert (kernel.max_complexity, kernel.mean_complexity, kernel.lines) == (4.0, 2.5, 10)
    assert (entry.host.maintainability, entry.host.maintainability_of, entry.host.candidates) == (60.0, 1, 2)
    [cells] = page(PAGE).tables["quality"].cells()
    assert (cells["measured"].text, cells["kernel_maintainability"].note) == ("3 of 4", "of 2")
    assert (cells["kernel_max_complexity"].text, cells["kernel_max_complexity"].note) == ("4", "mean 2.5")
    assert page(PAGE).notice.startswith("1 of 4\u00a0correct results here have no figures")


def test_a_result_that_does_not_count_or_is_in_doubt_enters_no_median(timed, page) -> None:
    run = timed("One", [0.5] * 2 + [None] * (TASKS - 2))
    measure(run, [python(part(maintainability=20.0)), python(part(maintainability=80.0))])
    first = run.results.order_by("task__path").first()
    Result.objects.filter(pk=first.pk).update(audit="hacked")
    [entry] = page(PAGE).entries
    assert (entry.correct, entry.kernel.maintainability) == (1, 80.0)


def test_types_of_operators_have_medians_of_their_own(timed, page) -> None:
    measure(timed("One", [0.5] * TASKS), [python(part(max_complexity=n)) for n in range(1, TASKS + 1)])
    found = {one.operator: one for one in page(PAGE).operators}
    by_type: dict[str, list[int]] = {}
    for result in Result.objects.select_related("task").order_by("task__path"):
        operator = result.task.provenance["operator_type"] or "not stated"
        by_type.setdefault(operator, []).append(result.code_quality["kernel"]["max_complexity"])
    assert {name: one.correct for name, one in found.items()} == {"not stated": 6, "reduce": 6}
    for name, values in by_type.items():  # six of each: the median is the mean of the third and the fourth
        third, fourth = sorted(values)[2:4]
        assert found[name].kernel.max_complexity == (third + fourth) / 2
    assert [cells["operator"].text for cells in page(PAGE).tables["operators"].cells()] == ["not stated", "reduce"]


def test_hip_and_triton_are_in_no_median_together(published, page) -> None:
    run = published()  # two tasks each of HIP to HIP, PyTorch to HIP and Triton to Triton
    for result in run.results.select_related("task"):
        size = 2 if result.task.category == "triton2triton" else 9
        Result.objects.filter(pk=result.pk).update(code_quality=python(part(max_complexity=size)))
    found = page("/quality/smoke/all/cpu-x86_64/").entries
    assert [(one.language, one.correct, one.kernel.max_complexity) for one in found] == [
        ("hip", 4, 9.0),
        ("triton", 2, 2.0),
    ]


def test_a_board_without_figures_has_dashes_and_never_zeros(timed, page) -> None:
    timed("One", [0.5] * TASKS)
    [cells] = page(PAGE).tables["quality"].cells()
    assert cells["measured"].text == f"0 of {TASKS}"
    assert {cells[name].text for name in cells if name.startswith(("kernel_", "host_"))} == {"–", ""}
    assert {cells[name].value for name in cells if name.startswith(("kernel_", "host_"))} == {None}


def test_the_board_and_the_index_of_analyses_lead_to_it(timed, client) -> None:
    timed("One", [0.5] * TASKS)
    for address in ("/board/timed/hip2hip/h100-sxm/", "/analysis/"):
        assert b"/quality/timed/" in client.get(address).content


@pytest.mark.parametrize(
    ("figures", "text"),
    [
        (None, "Not measured yet."),
        ({"because": "it does not parse"}, "Not measured: it does not parse."),
    ],
)
def test_a_result_without_figures_says_why(timed, client, figures, text) -> None:
    result = timed("One", [0.5] * TASKS).results.first()
    Result.objects.filter(pk=result.pk).update(code_quality=figures, candidate_files={"kernel.hip": "0" * 64})
    assert text in client.get(f"/result/{result.pk}/").content.decode()


def test_a_result_without_a_candidate_says_so(timed, page) -> None:
    result = timed("One", [0.5] * TASKS).results.first()
    assert page(f"/result/{result.pk}/").tables["quality"].empty.startswith("No candidate was submitted")


def test_a_result_shows_both_parts_and_why_there_is_no_index(timed, page) -> None:
    result = timed("One", [0.5] * TASKS).results.first()
    stored = {"language": "cpp", "kernel": part(maintainability=None), "host": part(maintainability=None, lines=7)}
    Result.objects.filter(pk=result.pk).update(code_quality=stored, candidate_files={"kernel.hip": "0" * 64})
    kernel, host = page(f"/result/{result.pk}/").tables["quality"].cells()
    assert (kernel["part"].text, host["part"].text, host["lines"].value) == ("kernel", "host", 7)
    assert (kernel["maintainability"].text, kernel["maintainability"].note) == (
        "–",
        "not measured: radon reads Python alone",
    )
    stored = python(part(maintainability=None, mean_complexity=None, max_complexity=None, functions=0))
    Result.objects.filter(pk=result.pk).update(code_quality=stored)
    [row] = page(f"/result/{result.pk}/").tables["quality"].cells()
    assert row["maintainability"].note == "no operator, so no index"
    assert (row["max_complexity"].value, row["max_complexity"].text) == (None, "–")


def test_a_claimed_index_stands_beside_what_the_same_sources_give(db, page) -> None:
    submission = factories.make_submission(
        format="KernelBench-X", state="accepted", claim_count=4, is_public=True, declared={"agent": "Sam's agent"}
    )
    rows = [
        ("Activation/gelu.py", True, 61.2, python(part(maintainability=40.0), part(maintainability=90.0))),
        ("Activation/relu.py", True, 63.2, python(part(maintainability=50.0))),
        ("Math/abs.py", True, "N/A", None),
        ("Math/add.py", False, 99.0, python(part(maintainability=99.0))),  # wrong: counts nowhere
    ]
    for task, is_right, index, figures in rows:
        claimed = {"call_ok": True, "exe_ok": is_right, "maintainability": index}
        status = "passed" if is_right else "wrong_output"
        Claim.objects.create(
            submission=submission, task=task, status=status, is_known=True, claimed=claimed, code_quality=figures
        )
    [run] = page("/kernelbench-x/").imported.runs
    found = run.quality
    assert (found.correct, found.claimed_index, found.claimed_of, found.measured) == (3, pytest.approx(62.2), 2, 2)
    assert (found.kernel.maintainability, found.host.maintainability, found.host.candidates) == (45.0, 90.0, 1)
    [cells] = page("/kernelbench-x/").tables["imported_quality"].cells()
    assert (cells["claimed_index"].note, cells["measured"].text) == ("of 2, with tests", "2 of 3")


def test_rows_have_the_figures_in_the_api(timed, client) -> None:
    run = timed("One", [0.5] * TASKS)
    measure(run, [python(part())])
    rows = client.get(f"/api/v1/rows/results/?run={run.pk}").json()["rows"]
    assert [row["code_quality"]["kernel"]["lines"] for row in rows if row["code_quality"]] == [10]


def test_the_link_to_what_bundles_claim_leads_to_its_heading(timed, page, client) -> None:
    timed("One", [0.5] * TASKS)
    address, _, heading = next(link.url for link in page(PAGE).views if "bundles" in link.text).partition("#")
    assert f'id="{heading}"' in client.get(address).content.decode()
