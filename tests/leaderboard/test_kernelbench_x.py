"""KernelBench-X: as printed, drawn from the same figures, with every disagreement that its tables show."""

from __future__ import annotations

import pytest

from runs.papers import load_published


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


def test_the_attribution_stands_beside_the_printed_one(shown) -> None:
    found = {(one.rate, one.quantity): (round(one.computed, 1), one.printed) for one in shown.attribution}
    assert found["correctness", "method_pct"] == (3.3, "3.3")
    assert found["correctness", "category_pct"] == (9.4, "9.4")
    assert found["correctness", "category_added"] == (34.5, "34.6")
    assert found["correctness", "method_added"] == (12.9, "13.0")
    assert found["compilation", "method_pct"] == (4.3, "5.18")  # its compilation tables disagree with each other
    assert found["compilation", "category_added"][1] is None


def test_what_was_printed_is_not_shown_as_computed(shown) -> None:
    [row] = [row for row in shown.tables["attribution"].groups[0].rows if row[1].value == "category_added"][:1]
    assert [cell.text for cell in row[2:]] == ["34.53", "34.6", "−0.07", "14"]
