"""KernelBench-X: as printed, drawn from the same figures, with all disagreements that its tables show."""

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


def test_tables_that_disagree_are_named(shown) -> None:
    wrong = {(check.method, check.rate, check.count) for check in shown.checks if not check.agrees}
    assert wrong == {
        ("KernelAgent", "compilation", 77),
        ("KernelLLM", "compilation", 1),
        ("Claude", "correctness", 39),
    }
    assert len(shown.checks) == 10
    assert any("1.15" in text for text in shown.disagreements)


def test_the_legend_of_a_heat_map_names_its_own_steps(shown) -> None:
    labels = [label.replace("\u00a0", " ") for _, _, label in shown.charts["correct"].legend]
    assert labels == ["below 10 %", "from 10 %", "from 25 %", "from 50 %", "from 75 %"]


def test_rescued_kernels_stand_beside_persistent_ones(shown) -> None:
    first = shown.charts["rescued"].rows[0]
    assert (first.label, [mark.point.value for mark in first.marks]) == ("Round 0 to 1", [1.16, 1.58])


def test_the_attribution_is_compared_with_the_printed_one(shown) -> None:
    found = {(one.rate, one.quantity): (round(one.computed, 1), one.printed) for one in shown.attribution}
    assert found["correctness", "method_pct"] == (3.3, "3.3")
    assert found["correctness", "category_pct"] == (9.4, "9.4")
    assert found["correctness", "category_added"] == (34.5, "34.6")
    assert found["correctness", "method_added"] == (12.9, "13.0")
    assert found["compilation", "method_pct"] == (4.3, "5.18")  # its compilation tables disagree with each other
    assert found["compilation", "category_added"][1] is None


def test_what_was_printed_is_not_shown_as_computed(shown) -> None:
    row = next(cells for cells in shown.tables["attribution"].cells() if cells["quantity"].value == "category_added")
    assert [cell.text for cell in row.values()][2:] == ["34.53", "34.6", "−0.07", "14"]


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
    [found] = page("/kernelbench-x/").imported.runs
    assert (found.compiled, found.correct, found.tasks, found.timed, found.slower) == (4, 3, 176, 2, 1)
    assert found.mean_speedup == found.median_speedup == pytest.approx(1.0)
    assert (found.top_task.task, found.top_task.share) == ("Activation/gelu.py", pytest.approx(0.75))
    assert found.geometric_mean_speedup == pytest.approx(0.75**0.5)
    assert found.global_speedup == pytest.approx(3.0 / 4.0)  # (1.5·1 + 0.5·3) / 4
    assert next((one.correct, one.tasks) for one in found.categories if one.category == "Activation") == (2, 10)


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
