"""Tables of agents' behaviour: outcomes, sessions, labels and their meanings, and what the paper says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from math import log

from leaderboard.formatting import plural, rate, seconds, significant, times
from leaderboard.pages.base import count_cell, entry_fields, page_url
from leaderboard.pages.behaviour.facts import NO_PATTERN, AgentSessions, Label, ResultOutcomes
from leaderboard.pages.session_cells import NOT_REPORTED
from leaderboard.strategies import STRATEGIES, UNCHANGED, Strategy
from leaderboard.tables import Cell, Field, Row, Table, fields, hidden, table, text_field
from leaderboard.words import CATEGORIES, ENDINGS, role_note

LABELS = {slug: strategy.name for slug, strategy in STRATEGIES.items()} | {
    UNCHANGED: "Same as the baseline",
    NO_PATTERN: "None of these",
}
CITATION = "arXiv 2605.16819, Appendix H"
# Category, subject, and in short what the paper says about it, with its numbers as printed.
PAPER = (
    ("hip2hip", "Completion", "24 tasks, all by every agent within the timeout"),
    ("torch2hip", "Completion", "24 tasks, all by every agent within the timeout"),
    ("triton2triton", "Completion", "148 tasks, all by every agent"),
    ("torch2hip", "Compile failures, Claude Code", "approximately 35 occasions across 24 tasks"),
    ("torch2hip", "Compile failures, Composer 2", "zero compile-failure strings"),
    ("triton2triton", "Compile failures", "few; correctness failures tied to autotuning"),
    ("hip2hip", "Own check passed, then wrong", "1–2 tasks per run"),
    ("hip2hip", "Strategies", "coalescing, vectorization, compute fusion, __launch_bounds__, shared memory"),
    ("triton2triton", "Strategies", "BLOCK_SIZE, num_warps, num_stages, waves_per_eu, matrix_instr_nonkdim"),
    ("torch2hip", "Strategies", "thread-block decomposition, hipMalloc, bindings"),
)
EMPTY = "No published results match. Remove a filter, or see the drafts among the runs."


def outcomes_table(found: Sequence[ResultOutcomes]) -> Table:
    columns: tuple[Field[ResultOutcomes], ...] = fields(
        entry_fields(lambda one: one.name, lambda one: one.configuration, lambda one: role_note(one.role)),
        Field("category", "Category", lambda one: _category_cell(one.category)),
        Field("results", "Tasks × runs", lambda one: count_cell(one.results), is_number=True),
        _rate_field("submitted", "Submitted", lambda one: one.submitted, lambda one: one.results),
        _rate_field("evaluated", "Evaluated", lambda one: one.evaluated, lambda one: one.results),
        _rate_field("build_failures", "Build failed", lambda one: one.build_failures, lambda one: one.evaluated),
        _rate_field("failed_otherwise", "Other failures", lambda one: one.failed_otherwise, lambda one: one.evaluated),
        _rate_field("passed", "Passed", lambda one: one.passed, lambda one: one.evaluated),
    )
    caption = "Outcomes: submitted and evaluated are out of tasks × runs, later columns out of evaluated results"
    return table("outcomes", caption, columns, found, EMPTY)


def sessions_table(found: Sequence[AgentSessions]) -> Table:
    has_not_evaluated = any(one.not_evaluated for one in found)
    has_tool_calls = any(one.tool_calls for one in found)
    columns: tuple[Field[AgentSessions], ...] = fields(
        entry_fields(lambda one: one.name, lambda one: one.configuration),
        Field("category", "Category", lambda one: _category_cell(one.category)),
        Field(
            "sessions",
            "Sessions",
            lambda one: Cell(str(one.sessions), one.sessions, note=_endings(one)),
            is_number=True,
        ),
        Field("versions", "Versions checked", lambda one: count_cell(one.versions), is_number=True),
        _rate_field("failed_builds", "Build failed", lambda one: one.failed_builds, lambda one: one.versions),
        _rate_field("failed_otherwise", "Other failures", lambda one: one.failed_otherwise, lambda one: one.versions),
        _rate_field(
            "not_evaluated",
            "Not evaluated",
            lambda one: one.not_evaluated,
            lambda one: one.versions,
            on_page=has_not_evaluated,
        ),
        _rate_field("passed", "Passed", lambda one: one.passed, lambda one: one.versions),
        _rate_field("first_passed", "First version passed", lambda one: one.first_passed, lambda one: one.sessions),
        Field("turns", "Turns", lambda one: _mean_cell(one.turns), is_number=True),
        Field(
            "tool_calls", "Tool calls", lambda one: _mean_cell(one.tool_calls), is_number=True, on_page=has_tool_calls
        ),
        Field("seconds", "Wall time", lambda one: Cell(seconds(one.seconds), round(one.seconds, 3)), is_number=True),
        hidden("endings", _endings),
    )
    caption = "Distinct versions checked in sessions; turns, tool calls and wall time are means per session"
    empty = (
        "No public result that matches came from an agent's session. Start sessions with `python manage.py start_runs "
        "block_tuner`, or submit a bundle of `python -m evaluator run`."
    )
    return table("sessions", caption, columns, found, empty)


def labels_table(found: Sequence[Label]) -> Table:
    """A row for each configuration, and on the page a column for each label that occurs.

    CSV and JSON have all labels, with their median speedups.
    """
    seen = {one.label for one in found}
    rows = [list(labels) for _, labels in groupby(found, key=lambda one: one.configuration)]
    columns: tuple[Field[list[Label]], ...] = fields(
        entry_fields(lambda row: row[0].name, lambda row: row[0].configuration),
        Field("of", "Candidates", lambda row: count_cell(row[0].of), is_number=True),
        (_label_field(slug, name, on_page=slug in seen) for slug, name in LABELS.items()),
        (_median_field(slug) for slug in LABELS),
    )
    caption = "Candidates that do what the baseline does not: their number, an example and their median speedup"
    empty = "No source of a published candidate matches. Remove a filter, or see the drafts among the runs."
    return table("labels", caption, columns, rows, empty)


def meanings_table() -> Table:
    columns: tuple[Field[tuple[str, Strategy]], ...] = (
        Field("label", "Label", lambda row: Cell(row[1].name, row[0])),
        text_field("meaning", "What the source shows", lambda row: row[1].sentence),
    )
    return table("meanings", "Meaning of the labels", columns, STRATEGIES.items(), "")


def appendix_table(found: Sequence[AgentSessions]) -> Table:
    """The questions of the paper's appendix, answered from sessions here."""
    columns: tuple[Field[AgentSessions], ...] = fields(
        entry_fields(lambda one: one.name, lambda one: one.configuration),
        Field("category", "Category", lambda one: _category_cell(one.category)),
        _rate_field("finished", "Completion", lambda one: one.endings.get("finished", 0), lambda one: one.sessions),
        Field("failed_builds", "Compile failures", _failed_builds_cell, is_number=True),
        Field("then_failed", "Own check passed, then wrong", _then_failed_cell, is_number=True),
        hidden("sessions", lambda one: one.sessions),
        hidden("own_check_passed", lambda one: one.own_check_passed),
        hidden("then_failed_result", lambda one: one.then_failed_result),
    )
    caption = "The same from sessions here: completed, versions that did not build, own checks that were wrong"
    return table("appendix", caption, columns, found, "No public result that matches came from an agent's session.")


def paper_table() -> Table:
    columns: tuple[Field[tuple[str, str, str]], ...] = (
        Field("category", "Category", lambda row: _category_cell(row[0])),
        text_field("what", "Subject", lambda row: row[1]),
        text_field("says", "What the paper says", lambda row: row[2]),
    )
    return table("paper", f"{CITATION}, in short, with numbers as printed", columns, PAPER, "")


def _category_cell(category: str) -> Cell:
    return Cell(CATEGORIES[category], category)


def _rate_field(
    key: str, label: str, count: Callable[[Row], int], of: Callable[[Row], int], *, on_page: bool = True
) -> Field[Row]:
    return Field(key, label, lambda row: Cell(rate(count(row), of(row)), count(row)), is_number=True, on_page=on_page)


def _failed_builds_cell(one: AgentSessions) -> Cell:
    return Cell(f"{one.failed_builds} in {plural(one.sessions, 'session')}", one.failed_builds)


def _then_failed_cell(one: AgentSessions) -> Cell:
    """Of the submitted versions that had passed in their session, how many failed here, with an example."""
    url = page_url("result", one.then_failed_result) if one.then_failed_result else ""
    return Cell(rate(one.then_failed, one.own_check_passed), one.then_failed, url)


def _endings(one: AgentSessions) -> str:
    return ", ".join(f"{ENDINGS[ended].label} {count}" for ended, count in one.endings.items())


def _mean_cell(value: float | None) -> Cell:
    return Cell(NOT_REPORTED) if value is None else Cell(significant(value), value)


def _with_label(row: list[Label], slug: str) -> Label | None:
    return next((one for one in row if one.label == slug), None)


def _label_field(slug: str, name: str, *, on_page: bool) -> Field[list[Label]]:
    def cell(row: list[Label]) -> Cell:
        one = _with_label(row, slug)
        if one is None:
            return Cell("0", 0)
        speed = "" if one.median_speedup is None else f"{times(log(one.median_speedup))}, {one.timed} timed"
        return Cell(rate(one.count, one.of), one.count, page_url("result", one.result), speed)

    return Field(slug, name, cell, is_number=True, on_page=on_page)


def _median_field(slug: str) -> Field[list[Label]]:
    return hidden(f"{slug}_median_speedup", lambda row: one.median_speedup if (one := _with_label(row, slug)) else None)
