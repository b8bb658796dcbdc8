"""KernelBench-X's paper against itself, against what is public, and against its code."""

from __future__ import annotations

import pytest

from leaderboard.formatting import NONE
from leaderboard.pages.attribution import screen
from leaderboard.pages.attribution.facts import ExplainedPart, Factor
from leaderboard.pages.kernelbench_x import corpus
from leaderboard.pages.kernelbench_x.disagreements import DISAGREEMENTS, IN_PAPER
from leaderboard.pages.papers.digits import agreeing_digits
from leaderboard.pages.text_figures import text_figures
from runs.loading.published import load_published
from runs.models import PublishedRow


@pytest.fixture
def shown(db, page):
    load_published()
    return page("/kernelbench-x/paper/")


def test_without_the_tables_it_says_how_to_load_them(db, client) -> None:
    assert "load_published" in client.get("/kernelbench-x/paper/").content.decode()


def test_tables_that_disagree_are_named(shown) -> None:
    wrong = {(check.method, check.rate, check.count) for check in shown.checks if not check.agrees}
    assert wrong == {
        ("KernelAgent", "compilation", 77),
        ("KernelLLM", "compilation", 1),
        ("Claude", "correctness", 39),
    }
    assert len(shown.checks) == 15


def test_correct_of_compiled_follows_from_the_two_rates_beside_it(shown) -> None:
    found = {one.method: (one.count, one.of) for one in shown.checks if one.rate == "correct of compiled"}
    # 17.0 and 36.4 % of 176 are 30 and 64; 10.8 and 64.2 % are 19 and 113.
    assert (found["AutoTriton"], found["KernelAgent"]) == ((30, 64), (19, 113))


def test_table_2_is_held_against_tables_3_and_4(shown) -> None:
    found = {(one.category, one.rate): (one.count, one.of) for one in shown.conversion}
    # Activation: 8, 6, 6 and 5 of 10 compile, 4, 5, 0 and 4 are correct. Fusion: 18 + 41 + 24 + 22 and 6 + 14 + 0 + 6.
    assert found["Activation", "compilation"] == (25, 40)
    assert found["Activation", "correct of compiled"] == (13, 25)
    assert found["Fusion", "correct of compiled"] == (26, 105)
    wrong = [
        (one.category, one.rate) for one in shown.conversion if not one.agrees and one.rate != "correct of compiled"
    ]
    assert wrong == [(name, "compilation") for name in ("Activation", "Math", "MatrixMultiply", "SpatialOps")]
    assert all(one.agrees for one in shown.conversion if one.rate == "correctness")


def test_what_table_2_needs_and_table_4_lacks_is_as_the_page_says(shown) -> None:
    compiled = [one for one in shown.conversion if one.rate == "compilation"]
    needed = sum(round(one.printed_pct * one.of / 100) - one.count for one in compiled)
    assert needed == 18  # 28 − 25, 104 − 93, 24 − 21 and 3 − 2
    assert "18 more" in next(one.check for one in IN_PAPER if "Average" in one.subject)


def test_the_attribution_is_compared_with_the_printed_one(shown) -> None:
    found = {(one.rate, one.quantity): (round(one.computed, 1), one.printed) for one in shown.attribution}
    assert found["correctness", "method_pct"] == (3.3, "3.3")
    assert found["correctness", "category_pct"] == (9.4, "9.4")
    assert found["correctness", "category_added"] == (34.5, "34.6")
    assert found["correctness", "method_added"] == (12.9, "13.0")
    assert found["compilation", "method_pct"] == (4.3, "5.18")  # its compilation tables disagree with each other
    assert found["compilation", "category_added"][1] is None


def test_every_page_takes_the_figures_of_attribution_from_the_printed_table(shown, monkeypatch) -> None:
    rows = PublishedRow.objects.filter(table__slug="kernelbenchx-text-figures").values_list("cells", flat=True)
    table = {row["figure"]: row["value"] for row in rows}
    assert text_figures() == table
    found = {one.figure: one.printed for one in shown.figures if one.part == "Method or category"}
    assert found == {key: value for key, value in table.items() if key.startswith(("correctness_", "compilation_"))}
    assert len(found) == 6
    assert {f"{one.rate}_{one.quantity}": one.printed for one in shown.attribution if one.printed} == found
    monkeypatch.setattr(screen, "text_figures", lambda: {"correctness_category_pct": "1.5", "r_span": "0.25"})
    [part] = screen.explained_table([_part("type")], "category", "").cells()
    assert (part["printed_pct"].value, part["printed_log_likelihood"].value) == (1.5, None)
    assert screen.explained_table([_part("both")], "category", "").cells()[0]["printed_pct"].text == NONE


def _part(factor: Factor) -> ExplainedPart:
    return ExplainedPart("correctness", factor, 0.1, None, None, None, 3, None, None)


def test_what_was_printed_is_not_shown_as_computed(shown) -> None:
    row = next(cells for cells in shown.tables["attribution"].cells() if cells["quantity"].value == "category_added")
    assert [cell.text for cell in row.values()][2:] == ["34.53", "34.6", "–", "−0.07", "14"]


@pytest.mark.parametrize(
    ("printed", "value", "agreeing"),
    [
        ("1.16", 1.1582, (3, 3)),
        ("1.32", 1.3153, (3, 3)),
        ("34.6", 34.53, (2, 3)),  # 35 and 35, but 34.5
        ("5.18", 4.3, (0, 3)),
        ("0.076", 0.0762, (2, 2)),
        ("68.8", 68.75, (3, 3)),  # just between two roundings
        ("0", 0.0, (1, 1)),
        ("1.0008", 1.0, (3, 5)),  # 1.00 and 1.00, but 1.001
        ("0.8", 0.5, (0, 1)),
    ],
)
def test_digits_agree_as_far_as_both_round_alike(printed: str, value: float, agreeing: tuple[int, int]) -> None:
    assert agreeing_digits(printed, value) == agreeing


def test_the_corpus_gives_the_figures_on_refinement_that_it_determines(shown) -> None:
    found = {one.figure: one for one in shown.figures}
    whole = {"rescued_speedup_1", "rescued_speedup_2", "rescued_score_pct_1", "rescued_score_pct_2"}
    whole |= {"compile_pct_last", "correct_pct_last", "speedup_last", "score_pct_last", "expand_where_speedup"}
    assert {key for key in whole if found[key].agrees} == whole
    # 92 of 176 compile at first, then 22 and 7 more; 32 are correct, then 15 and 8 − 1 more.
    assert found["compile_pct_last"].recomputed == pytest.approx(100 * 121 / 176)
    assert found["correct_pct_last"].recomputed == pytest.approx(100 * 54 / 176)
    # 7 rescued kernels with a time average 1.31529 and 46 persistent ones, as printed, 1.46.
    assert found["speedup_last"].recomputed == pytest.approx(
        (7 * corpus.STEPS["1 to 2"].rescued_speedup + 46 * 1.46) / 53
    )
    assert found["speedup_last"].recomputed == pytest.approx(1.4409, abs=1e-4)


def test_what_nothing_public_determines_has_the_reason_and_no_number(shown) -> None:
    found = {one.figure: one for one in shown.figures}
    for key in ("slower_share", "median_speedup", "edits_mask", "r_span", "persistent_speedup_1", "speedup_GEAK"):
        assert (found[key].recomputed, found[key].agrees) == (None, None)
        assert found[key].basis.startswith("not ")
    assert "34 to 46 of 60" in found["fusion_unsolved_pct"].basis  # 60 − (6 + 14 + 0 + 6) and 60 − 14
    assert found["edits"].recomputed == 352
    assert found["highest_loss"].agrees is False
    assert shown.tables["figures"].size == len(shown.figures)


def test_without_results_of_our_own_there_is_none_yet(shown) -> None:
    assert {one.measured for one in shown.figures} == {"none yet"}


def test_every_disagreement_names_both_places_and_how_to_check_it() -> None:
    assert len({one.subject for one in DISAGREEMENTS}) == len(DISAGREEMENTS) >= 5
    assert all(one.says_where and one.other_where and one.check.endswith(".") for one in DISAGREEMENTS)


def test_the_assumptions_of_the_attribution_are_tested_as_far_as_the_tables_go(shown) -> None:
    correct, compiled = next(one for one in shown.sections if one.slug == "explained").items
    # Quantization and SpatialOps: no method solves any, so their coefficients have no bound
    assert "0 are all passes and 25 all failures, so that there is no finite fit without a ridge" in correct
    assert "2 are all passes and 9 all failures, so that there is a finite fit without a ridge" in compiled
    assert "Pearson's χ² / df = 1.39, p = " in compiled
    plain = {(one.rate, one.quantity): one.plain for one in shown.attribution}
    assert plain["correctness", "category_pct"] is None
    assert plain["compilation", "method_pct"] == pytest.approx(4.334, abs=5e-4)
