"""AgentKernelArena's paper against itself: 24 rows, the figures of its text, and what disagrees."""

from __future__ import annotations

import csv
from fractions import Fraction
from math import sqrt

import pytest

from evaluator.bundles.tasklists import arena_operator_types, tasks_of
from leaderboard.pages.agentkernelarena.disagreements import DISAGREEMENTS, IN_PAPER
from leaderboard.pages.agentkernelarena.failures import CASES
from leaderboard.pages.metrics.page import METRICS
from leaderboard.pages.papers.digits import agreeing_digits
from runs.loading.published import load_published

SPACE = "\u00a0"


@pytest.fixture
def shown(db, page):
    load_published()
    return page("/agentkernelarena/paper/")


def test_without_the_tables_it_says_how_to_load_them(db, client) -> None:
    body = client.get("/agentkernelarena/paper/").content.decode()
    assert "load_published" in body
    assert "<svg" not in body.partition("<main")[2]


def test_the_score_follows_from_the_rates_and_the_mean_in_all_rows(shown) -> None:
    rows = {(one.category, one.agent, one.model): one for one in shown.checked}
    assert len(rows) == 24
    assert all(one.score_agrees for one in rows.values())
    opus = rows["hip2hip", "Claude Code", "Opus 4.6"]
    # 100.0 and 98.6 % of 72 are 72 and 71: 20 + 100·71/72 + 669
    assert (opus.compiled, opus.correct) == (72, 71)
    assert opus.score == pytest.approx(float(20 + 100 * Fraction(71, 72) + 669))
    assert opus.difference == pytest.approx(787.6111 - 787.8, abs=1e-4)
    worst = max(rows.values(), key=lambda one: abs(one.difference))
    # 441 of 444: 20 + 99.3243 + 165 = 284.3243 beside 283.8, so the mean is 1.6448 and not quite 1.65
    assert (worst.category, worst.model) == ("triton2triton", "GPT-5.3-Codex High")
    assert (worst.difference, worst.mean_of_score) == (
        pytest.approx(0.5243, abs=1e-4),
        pytest.approx(1.64476, abs=1e-5),
    )


def test_rates_stand_for_whole_numbers(shown) -> None:
    assert all(one.is_whole for one in shown.checked)
    gpt = next(one for one in shown.checked if (one.category, one.model) == ("torch2hip", "GPT-5.4 High"))
    # 69.4 % of 72, 75.0 and 58.3 % of 24
    assert (gpt.compiled, gpt.correct, gpt.fast_1, gpt.fast_2) == (50, 50, 18, 14)


def test_quantiles_are_linear_and_not_exclusive(shown) -> None:
    counts = {one.check: one for one in shown.checks}
    assert [one.holds for one in shown.checks] == [24, 24, 24, 23, 24, 24, 24]
    [exception] = counts["fast₁ and fast₂ beside P25, P75 and P90, exclusive"].exceptions
    assert exception == "Triton to Triton, Cursor Agent · Opus 4.7 High"  # P90 1.95, 15 of 148 at 2 or more


def test_the_fastest_task_has_a_part_of_the_mean_that_follows_from_the_spread(shown) -> None:
    opus = next(one for one in shown.checked if (one.category, one.model) == ("triton2triton", "Opus 4.7 High"))
    mean = (333.2 - 120) / 100
    assert opus.bounds.largest_least == pytest.approx((9.29**2 * 147 / 148 + mean**2) / mean)
    assert opus.bounds.largest_most == pytest.approx(mean + 9.29 * 147 / sqrt(148))
    row = next(
        row
        for row in shown.tables["runs_and_largest"].cells()
        if row["configuration"].text == "Cursor Agent · Opus 4.7 High" and row["category"].value == "triton2triton"
    )
    assert row["top_share"].text.replace(SPACE, " ") == "at least 13 %"  # 42.3 of 148 · 2.13
    assert row["largest_least"].text.replace(SPACE, " ") == "42.3 to 114"


def test_a_spread_between_runs_is_also_shown_as_a_sum_over_tasks(shown) -> None:
    sonnet = next(one for one in shown.checked if (one.category, one.model) == ("triton2triton", "Sonnet 4.6"))
    assert sonnet.moved == pytest.approx(0.72 * 148)


def test_figures_of_the_text_that_do_not_agree_are_these(shown) -> None:
    found = {one.figure: one for one in shown.figures}
    wrong = {key for key, one in found.items() if one.agrees is False}
    assert wrong == {"composer_correctness_rate_pct", "claude_opus_correctness_rate_pct"}
    assert found["composer_correctness_rate_pct"].recomputed == pytest.approx(100 * 434 / 444)
    assert found["claude_opus_correctness_rate_pct"].basis == "443 of 444"
    assert found["unseen_torch2hip_least"].recomputed == pytest.approx(100 * 43 / 72)
    assert found["unseen_gpt54_least"].recomputed == pytest.approx(100 * 13 / 24)
    assert found["example_first"].recomputed == pytest.approx(100 * (1 - 0.298 / 0.342))
    assert sum(one.agrees is None for one in found.values()) == 18


def test_what_nothing_public_determines_has_the_reason_and_no_number(shown) -> None:
    for one in shown.figures:
        assert (one.recomputed is None) == one.basis.startswith("not public")
    cells = {row["figure"].value: row for row in shown.tables["figures"].cells()}
    assert cells["gap_triton2triton_most"]["agreeing"].text == "–"
    assert cells["triton2triton_fast_2_pct_most"]["agreeing"].text == "holds"
    assert cells["claude_opus_correctness_rate_pct"]["agreeing"].text == "does not hold"


def test_tables_and_charts_have_the_printed_numbers(shown, client) -> None:
    assert {*shown.rows} == {one.slug for one in shown.papers}
    assert len(shown.charts) == 3 * 3 + 2
    cell = shown.charts["rates_torch2hip"].rows[4].cells[0]
    assert (shown.charts["rates_torch2hip"].rows[4].label, cell.text, cell.aside) == (
        "Cursor Agent · GPT-5.4 High",
        f"69.4{SPACE}%",
        "50 of 72",
    )
    point = shown.charts["quantiles_hip2hip"].rows[0].marks[0].point
    assert (point.low, point.value, point.high) == (1.18, 7.01, 19.96)
    seen, unseen = (mark.point.value for mark in shown.charts["seen_and_unseen"].rows[0].marks)
    assert (seen, unseen) == (5.82, pytest.approx(5.82 * 1.23))
    lines = client.get("/api/v1/agentkernelarena/paper/scores.csv").getvalue().decode().splitlines()
    assert len(list(csv.DictReader(lines))) == 24


def test_table_5_names_31_of_118(shown) -> None:
    rows = [row for row in shown.tables["types"].cells() if row["project"].value == "vLLM"]
    assert (sum(row["named"].value for row in rows), sum(row["tasks"].value for row in rows)) == (31, 118)
    assert len(arena_operator_types()) == 196


def test_every_disagreement_names_both_places_and_how_to_check_it() -> None:
    assert len({one.subject for one in DISAGREEMENTS}) == len(DISAGREEMENTS) > len(IN_PAPER) >= 10
    assert all(one.says_where and one.other_where and one.check.endswith(".") for one in DISAGREEMENTS)


def test_order_within_cursor_agent_is_as_the_disagreement_says(shown) -> None:
    means = {
        (row["category"], row["model"]): float(row["mean_speedup"])
        for row in shown.rows["agentkernelarena-main-results"]
        if row["agent"] == "Cursor Agent"
    }
    for category in ("hip2hip", "triton2triton"):
        assert means[category, "GPT-5.4 High"] > means[category, "Opus 4.6 High"]
    assert means["torch2hip", "Composer 2"] > means["torch2hip", "GPT-5.4 High"]


def test_failures_name_public_tasks() -> None:
    names = " ".join(tasks_of("arena-paper-196"))
    assert all(one.task in names for one in CASES if one.task)


def test_whole_numbers_agree_in_their_first_digits() -> None:
    assert agreeing_digits("262.4", 262.61) == (2, 4)  # 260 and 260, but 262 and 263
    assert agreeing_digits("-12.9", -12.87) == (3, 3)


def test_its_formulas_are_on_the_metrics_page() -> None:
    assert {"printed-checks", "arena-claims"} <= {metric.slug for metric in METRICS}
