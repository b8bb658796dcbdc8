"""KernelBench-X: as printed and drawn from the same figures, as submitted, and our tasks after its own."""

from __future__ import annotations

import pytest

from evaluator.tasks.reader import load_task
from runs.loading.published import load_published
from runs.models import Claim
from runs.services import catalog
from tests import factories


@pytest.fixture
def shown(db, page):
    load_published()
    return page("/kernelbench-x/")


def test_without_the_tables_it_says_how_to_load_them(db, client) -> None:
    body = client.get("/kernelbench-x/").content.decode()
    assert "load_published" in body
    assert "<svg" not in body.partition("<main")[2]


def test_rows_are_as_printed(shown) -> None:
    rows = {row["method"]: row for row in shown.rows["kernelbenchx-overall"]}
    assert (rows["GEAK"]["compile_pct"], rows["KernelLLM"]["speedup"]) == ("68.8", "")
    assert len(shown.rows["kernelbenchx-category-correct-pct"]) == 15


def test_a_cell_of_the_heat_map_is_the_printed_figure(shown) -> None:
    [fusion] = [row for row in shown.charts["correct"].rows if row.label == "Fusion"]
    geak = next(cell for cell in fusion.cells if cell.column == "GEAK")
    assert (geak.share, geak.text, geak.aside) == (pytest.approx(0.233), "23.3\u00a0%", "14 of 60")
    assert geak.shade == "step-1"


def test_conversion_follows_from_the_printed_percentages_in_whole_tasks(shown) -> None:
    rows = {row["category"].value: row for row in shown.tables["conversion"].cells()}
    # GEAK on Fusion: 23.3 % of 60 is 14, of 68.3 %, which is 41.
    assert [rows["Fusion"][f"GEAK_{key}"].value for key in ("correct", "compiled", "of")] == [14, 41, 60]
    assert rows["Fusion"]["GEAK_correct"].text.replace("\u00a0", " ") == "14 of 41"
    assert {*rows} >= {"Linear algebra", "Spatial operations"}


def test_the_legend_of_a_heat_map_names_its_own_steps(shown) -> None:
    labels = [label.replace("\u00a0", " ") for _, _, label in shown.charts["correct"].legend]
    assert labels == ["below 10 %", "from 10 %", "from 25 %", "from 50 %", "from 75 %"]


def test_rescued_kernels_stand_beside_persistent_ones(shown) -> None:
    first = shown.charts["rescued"].rows[0]
    assert (first.label, [mark.point.value for mark in first.marks]) == ("Round 0 to 1", [1.16, 1.58])


def test_without_submitted_runs_it_says_how_to_submit_one(shown) -> None:
    assert (shown.imported.runs, "imported" in shown.charts) == ((), False)
    assert "/submit/" in shown.tables["imported_runs"].empty


def test_a_submitted_run_has_its_rates_over_the_suite_and_its_speeds_by_the_papers_rules(db, page) -> None:
    _run(
        "Sam's agent",
        ("Activation/gelu.py", "passed", True, True, 1.5, 1.0),
        ("Activation/relu.py", "passed", True, True, 0.5, 3.0),
        ("Math/abs.py", "implausible", True, True, 8.0, 1.0),  # correct, but without all of its times
        ("Math/add.py", "wrong_output", True, False, 9.0, 1.0),
        ("Fusion/a.py", "build_failed", False, False, None, None),
    )
    shown = page("/kernelbench-x/")
    [found], [row] = shown.imported.runs, shown.tables["imported_runs"].cells()
    assert (found.compiled, found.correct, found.tasks, found.timed, found.slower) == (4, 3, 176, 2, 1)
    assert [row[key].text.replace("\u00a0", " ") for key in ("correct_of_compiled", "slower")] == ["3 of 4", "1 of 2"]
    assert found.mean_speedup == found.median_speedup == pytest.approx(1.0)
    assert (found.top_task.task, found.top_task.share) == ("Activation/gelu.py", pytest.approx(0.75))
    assert found.geometric_mean_speedup == pytest.approx(0.75**0.5)
    assert found.global_speedup == pytest.approx(3.0 / 4.0)  # (1.5·1 + 0.5·3) / 4
    assert next((one.correct, one.tasks) for one in found.categories if one.category == "Activation") == (2, 10)


def test_a_submitted_run_has_both_stages_by_category_without_percentages_of_few_tasks(db, page) -> None:
    _run(
        "Sam's agent",
        ("Activation/gelu.py", "passed", True, True, 1.5, 1.0),
        ("Activation/relu.py", "wrong_output", True, False, None, None),
        ("Loss/kl_div.py", "wrong_output", True, False, None, None),
    )
    shown = page("/kernelbench-x/")
    cells = {
        (slug, row.label): (row.cells[0].text.replace("\u00a0", " "), row.cells[0].aside.replace("\u00a0", " "))
        for slug in ("imported_compiled", "imported")
        for row in shown.charts[slug].rows
    }
    assert cells["imported_compiled", "Activation"] == ("2 of 10", "20 %")
    assert cells["imported", "Activation"] == ("1 of 10", "10 %")
    assert cells["imported_compiled", "Loss"] == ("1 of 6", "")
    conversion = {row["category"].value: list(row.values()) for row in shown.tables["imported_conversion"].cells()}
    assert [cell.value for cell in conversion["Activation"][2:]] == [1, 2, 10]  # correct, of compiled, of all
    assert conversion["Linear algebra"][2].text.replace("\u00a0", " ") == "0 of 0"


def test_unsolved_tasks_are_listed_by_category(db, page) -> None:
    _run("One", ("Pooling/max_pool2d.py", "passed", True, True, 1.0, 1.0))
    _run("Other", ("Quantization/matmul_w8a8.py", "wrong_output", True, False, None, None))
    shown = page("/kernelbench-x/")
    assert {one.category: len(one.unsolved) for one in shown.imported.unsolved}["Quantization"] == 6
    [row] = shown.tables["imported_quantized"].cells()
    assert [cell.text for cell in row.values()] == ["Quantization/matmul_w8a8.py", "wrong output", "not produced"]


def test_claims_that_are_not_shown_yet_or_in_quarantine_are_on_no_page(db, page) -> None:
    _run("Hidden", ("Activation/gelu.py", "passed", True, True, 1.5, 1.0), is_public=False)
    _run("Stranger", ("Activation/no_such.py", "passed", True, True, 1.5, 1.0), is_known=False)
    [found] = page("/kernelbench-x/").imported.runs
    assert (found.name, found.correct) == ("Stranger", 0)


def test_rounds_of_a_corpus_tell_rescued_from_persistent_kernels(db, page) -> None:
    rounds = [
        ("Math/abs.py", "round_9", False, None),
        ("Math/abs.py", "round_10", True, 1.2),
        ("Math/add.py", "round_9", True, 1.5),
        ("Math/add.py", "round_10", True, 2.0),
        ("Math/sub.py", "round_9", True, 1.0),
        ("Math/sub.py", "round_10", False, None),
    ]
    submission = _handed_in("KernelBench-X corpus", "GEAK", len(rounds))
    for task, attempt, is_right, speedup in rounds:
        status = "passed" if is_right else "wrong_output"
        _claim(submission, task, status, True, is_right, claimed_speedup=speedup, attempt=attempt)
    [found] = page("/kernelbench-x/").imported.rounds
    assert (found.rounds, found.rescued, found.persistent, found.lost) == ("round 9 to round 10", 1, 1, 1)
    assert (found.rescued_speedup, found.persistent_speedup) == (1.2, 2.0)
    assert [(top.task, top.share) for top in (found.rescued_top, found.persistent_top)] == [
        ("Math/abs.py", 1.0),
        ("Math/add.py", 1.0),
    ]


def _run(agent, *tasks, is_public: bool = True, is_known: bool = True) -> None:
    submission = _handed_in("KernelBench-X", agent, len(tasks), is_public=is_public)
    for task, status, compiled, correct, speedup, runtime_ms in tasks:
        more = {"recomputed_speedup": speedup, "is_known": is_known}
        _claim(submission, task, status, compiled, correct, runtime_ms=runtime_ms, **more)


def _handed_in(kind: str, agent: str, claims: int, *, is_public: bool = True):
    return factories.make_submission(
        format=kind, state="accepted", claim_count=claims, is_public=is_public, declared={"agent": agent}
    )


def _claim(submission, task, status, compiled, correct, *, runtime_ms=None, is_known=True, **values) -> None:
    claimed = {"call_ok": compiled, "exe_ok": correct, "runtime_ms": runtime_ms}
    Claim.objects.create(submission=submission, task=task, status=status, is_known=is_known, claimed=claimed, **values)


def test_our_tasks_stand_beside_the_papers_counts_with_what_differs(db, page) -> None:
    load_published()
    catalog.mirror_tasks(specs=[load_task(f"torch2triton/kernelbenchx/{name}") for name in ("relu", "solve")])
    shown = page("/kernelbench-x/")
    counts = {one.category: (one.tasks, one.published) for one in shown.native_categories}
    assert (counts["Activation"], counts["Linear algebra"]) == ((1, 10), (1, 17))
    assert sum(published for _, published in counts.values()) == 176
    assert [one.name for one in shown.native] == ["relu", "solve"]
    assert "works in place" in shown.native[0].difference


def test_three_submitted_methods_have_an_attribution_and_two_the_reason_why_not(db, page) -> None:
    for agent in ("One", "Two"):
        _run(agent, *((f"Activation/{name}.py", "passed", True, True, 1.0, 1.0) for name in ("gelu", "relu")))
    assert (
        page("/kernelbench-x/")
        .imported.not_explained["correctness"]
        .endswith("needs 3 complete entries that solve a task; there are 2.")
    )
    _run("Three", ("Activation/gelu.py", "passed", True, True, 1.0, 1.0))
    _run(
        "Three", ("Activation/gelu.py", "passed", True, True, 1.0, 1.0), ("Math/abs.py", "passed", True, True, 1.0, 1.0)
    )
    shown = page("/kernelbench-x/")
    found = shown.imported.explanations["correctness"]
    # 15 categories and 3 methods, of which the newest run counts: 6 of 528 passes, in two categories
    assert (found.separation.cells, found.separation.is_separated, found.ridge.category_df) == (45, True, 14)
    assert found.ridge.category > found.ridge.method >= 0
    assert {"imported_explained", "imported_assumptions"} <= set(shown.tables)
