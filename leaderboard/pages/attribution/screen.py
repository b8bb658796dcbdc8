"""The tables of the attribution page, with what the paper of KernelBench-X printed beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from leaderboard.formatting import NBSP, NONE, plural, rate_over, significant
from leaderboard.pages.attribution.facts import (
    Cast,
    ExplainedPart,
    Factor,
    ProxyLine,
    RateName,
    SlowerEntry,
    UnsolvedTask,
    UnsolvedType,
)
from leaderboard.pages.base import count_cell, page_url, task_cell
from leaderboard.pages.text_figures import text_figures
from leaderboard.statistics.comparisons import SIGNIFICANT
from leaderboard.statistics.explanation import LEAST_OF_EACH, Explanation
from leaderboard.statistics.permutations import Dependence
from leaderboard.statistics.slower import Slower
from leaderboard.tables import Cell, Field, Row, Table, fields, hidden, table, text_field

LEAST_P = 0.001  # smaller ones are not told apart
MINUS = "−"
LABELS: dict[RateName, str] = {"correctness": "Correct", "compilation": "Compiled"}
FAILURES: dict[RateName, str] = {"correctness": "not correct", "compilation": "does not compile"}
PROXY_LABELS = {
    "assignments": "Intermediate assignments",
    "calls": "Calls of torch",
    "complexity": "Cyclomatic complexity, the largest",
    "span": "Statements",
}
# The paper's words in the short names of its figures. It calls its differences of log L differences of deviance.
PRINTED_FACTORS: dict[Factor, str] = {"type": "category", "entry": "method"}
PRINTED_PROXIES = {"assignments": "assignments", "calls": "torch_calls", "complexity": "complexity", "span": "span"}


@dataclass(frozen=True, slots=True)
class Assumption:
    """An assumption of the model, and whether a test speaks against it."""

    rate: RateName
    name: str
    found: str
    holds: bool | None  # None: it cannot be tested here
    value: float | None


def explained_table(
    parts: Sequence[ExplainedPart], type_name: str, empty: str, slug: str = "explained", note: str = ""
) -> Table:
    names: dict[Factor, str] = {"type": type_name.capitalize(), "entry": "Entry", "both": "Both"}
    columns: tuple[Field[ExplainedPart], ...] = (
        text_field("rate", "Outcome", lambda one: LABELS[one.rate]),
        Field("factor", "Explained by", lambda one: Cell(names[one.factor], one.factor)),
        Field("share", "Deviance", lambda one: _share_cell(one.share), is_number=True, metric="attribution"),
        Field("plain_share", "Deviance, no ridge", lambda one: _share_cell(one.plain_share), is_number=True),
        Field("added", "ΔD beyond the other", lambda one: _added_cell(one.added), is_number=True),
        Field("plain_added", "ΔD, no ridge", lambda one: _added_cell(one.plain_added), is_number=True),
        Field("df", "df", lambda one: count_cell(one.df), is_number=True),
        Field("chi_squared_p", "p by χ²", lambda one: _p_cell(one.chi_squared_p), is_number=True, metric="chi-squared"),
        Field(
            "permutation_p",
            "p by permutation",
            lambda one: _p_cell(one.permutation_p),
            is_number=True,
            metric="permutation",
        ),
        Field("printed_pct", "In the paper", _printed_cell, is_number=True),
        hidden("printed_log_likelihood", lambda one: _printed(one, "added") or None),
    )
    caption = f"How much of the deviance the {type_name} explains, and how much the entry{note}"
    return table(slug, caption, columns, parts, empty)


def assumptions_table(
    found: Mapping[RateName, Explanation | str], empty: str, slug: str = "assumptions", note: str = ""
) -> Table:
    rows = [line for rate, one in found.items() if not isinstance(one, str) for line in _assumptions(rate, one)]
    columns: tuple[Field[Assumption], ...] = (
        text_field("rate", "Outcome", lambda one: LABELS[one.rate]),
        text_field("assumption", "Assumption", lambda one: one.name),
        Field("holds", "Does it hold?", _holds_cell),
        text_field("found", "What was found", lambda one: one.found),
        hidden("value", lambda one: one.value),
    )
    return table(slug, f"Assumptions of the model, tested{note}", columns, rows, empty)


def unsolved_tables(types: Sequence[UnsolvedType], tasks: Sequence[UnsolvedTask], cast: Cast) -> tuple[Table, Table]:
    label = cast.type_name.capitalize()
    by_type: tuple[Field[UnsolvedType], ...] = (
        text_field("type", label, lambda one: one.type),
        Field("tasks", "Tasks", lambda one: count_cell(one.tasks), is_number=True),
        Field("judged", "With a verdict", lambda one: count_cell(one.judged), is_number=True),
        Field(
            "unsolved",
            "Unsolved",
            lambda one: Cell(f"{len(one.unsolved)} of {one.judged}", len(one.unsolved)),
            is_number=True,
            metric="unsolved",
        ),
    )
    single: tuple[Field[UnsolvedTask], ...] = (
        Field("task", "Task", lambda one: task_cell(one.task)),
        text_field("type", label, lambda one: one.type),
        Field(
            "compiled",
            "Entries that compile",
            lambda one: Cell(f"{one.compiled} of {one.judged}", one.compiled),
            is_number=True,
        ),
        hidden("judged", lambda one: one.judged),
    )
    no_entry = "No entry has a public result yet. Yours can be the first: see Submit."
    solved = "Some entry solves each task." if cast.entries else no_entry
    return (
        table("unsolved", f"Tasks that no entry solves, by {cast.type_name}", by_type, types, no_entry),
        table("unsolved_tasks", "Tasks that no entry solves", single, tasks, solved),
    )


def slower_table(lines: Sequence[SlowerEntry], empty: str) -> Table:
    columns: tuple[Field[SlowerEntry], ...] = fields(
        Field("name", "Entry", _entry_cell),
        hidden("configuration", lambda one: one.configuration or None),
        slower_fields(lambda one: one.found),
    )
    return table("slower", "Correct results that are slower than the baseline, on t_dev", columns, lines, empty)


def slower_fields(read: Callable[[Row], Slower]) -> tuple[Field[Row], ...]:
    """Counts of correct results, of those that are slower in both senses, and their median speedup."""

    def rate(key: str, label: str, count: Callable[[Slower], int], metric: str = "") -> Field[Row]:
        def cell(row: Row) -> Cell:
            found = read(row)
            return Cell(rate_over(count(found), found.timed, found.tasks) if found.timed else NONE, count(found))

        return Field(key, label, cell, is_number=True, metric=metric)

    def median_cell(row: Row) -> Cell:
        median = read(row).median
        return Cell(NONE) if median is None else Cell(f"{significant(median, 4)}×", median)

    return (
        Field("correct", "Correct", lambda row: count_cell(read(row).correct), is_number=True),
        Field("timed", "With a speed", lambda row: count_cell(read(row).timed), is_number=True),
        rate("below", "Interval below 1", lambda found: found.below, "slower"),
        rate("under", "Speedup below 1", lambda found: found.under),
        Field("median", "Median speedup", median_cell, is_number=True),
        hidden("timed_tasks", lambda row: read(row).tasks),
        hidden("refused", lambda row: read(row).refused),
    )


def proxies_table(lines: Sequence[ProxyLine], empty: str) -> Table:
    columns: tuple[Field[ProxyLine], ...] = fields(
        Field("proxy", "Proxy of the reference", lambda one: Cell(PROXY_LABELS[one.proxy], one.proxy)),
        Field("failure", "Failure", lambda one: Cell(FAILURES[one.rate], one.rate)),
        Field("r", "Pearson's r", _r_cell, is_number=True, metric="proxies"),
        hidden("r_low", lambda one: one.found.interval.low if one.found.interval else None),
        hidden("r_high", lambda one: one.found.interval.high if one.found.interval else None),
        Field("tasks", "Tasks", lambda one: count_cell(one.found.tasks), is_number=True),
        Field("printed_r", "In the paper", _printed_r_cell, is_number=True),
        hidden("refused", lambda one: one.found.refused),
    )
    caption = "Static proxies of the reference against the share of entries that fail on a task"
    return table("proxies", caption, columns, lines, empty)


def answers(
    parts: Sequence[ExplainedPart],
    unsolved: Sequence[UnsolvedTask],
    types: Sequence[UnsolvedType],
    lines: Sequence[SlowerEntry],
    cast: Cast,
) -> tuple[str, ...]:
    """What the tables come to, in a sentence each."""
    share = {(one.rate, one.factor): one.share for one in parts}
    found = [
        f"{LABELS[rate]} or not: the {cast.type_name} explains {_share(share[rate, 'type'])} of the deviance, the "
        f"entry {_share(share[rate, 'entry'])}."
        for rate in LABELS
        if (rate, "type") in share
    ]
    if judged := sum(one.judged for one in types):
        found.append(f"No entry solves {len(unsolved)} of {plural(judged, 'task')}.")
    if lines and (whole := lines[0].found).timed:
        found.append(
            f"Of {plural(whole.timed, 'correct result')} with a speed, {whole.under} are slower than the baseline, "
            f"{whole.below} of them beyond their interval."
        )
    return tuple(found)


def _assumptions(rate: RateName, one: Explanation) -> list[Assumption]:
    cells, spread = one.separation, one.dispersion
    ratio = None if spread is None else spread.ratio
    return [
        Assumption(
            rate,
            "Nothing is separated",
            f"Of {cells.cells} cells, {cells.all_passed} are all passes and {cells.none_passed} all failures. "
            + ("No finite fit without a ridge." if cells.is_separated else "Finite without a ridge."),
            not cells.is_separated,
            cells.all_passed + cells.none_passed,
        ),
        Assumption(
            rate, "Cells vary as binomial counts", _spread_text(one), _fits(spread.p if spread else None), ratio
        ),
        Assumption(
            rate,
            "Entries are independent on a task",
            _dependence_text(one.dependence),
            _fits(one.dependence.p if one.dependence else None),
            one.dependence.ratio if one.dependence else None,
        ),
        Assumption(
            rate,
            f"At least {LEAST_OF_EACH} passes and failures of each",
            f"The fewest of an entry or a type: {significant(one.least)}.",
            one.least >= LEAST_OF_EACH,
            one.least,
        ),
    ]


def _spread_text(one: Explanation) -> str:
    if (found := one.dispersion) is None:
        return "There are as many coefficients as cells."
    text = f"Pearson's χ² / df = {significant(found.pearson)} / {found.df} = {significant(found.ratio)}"
    return f"{text}, p = {_p(found.p)}." if found.p is not None else f"{text}. No p: {found.refused}"


def _dependence_text(found: Dependence | None) -> str:
    if found is None:
        return "Within each type, every entry has the same outcome on all tasks."
    return (
        f"The number of entries that pass a task varies {significant(found.ratio)} times as much within a type as it "
        f"would if they were independent, p = {_p(found.p)}."
    )


def _fits(p: float | None) -> bool | None:
    return None if p is None else p >= SIGNIFICANT


def _holds_cell(one: Assumption) -> Cell:
    if one.holds is None:
        return Cell("cannot be tested", None, tone="ours", mark="○")
    if not one.holds:
        return Cell("no", False, tone="bad", mark="✕")
    return Cell("not rejected", True, tone="good", mark="✓")


def _share(share: float) -> str:
    return f"{significant(100 * share)}{NBSP}%"


def _share_cell(share: float | None) -> Cell:
    return Cell(NONE) if share is None else Cell(_share(share), share)


def _added_cell(added: float | None) -> Cell:
    if added is None:
        return Cell(NONE)
    return Cell(significant(added), added, note=f"Δ{NBSP}log{NBSP}L {significant(added / 2)}")


def _p(p: float) -> str:
    return f"<{NBSP}0.001" if p < LEAST_P else significant(p, 2)


def _p_cell(p: float | None) -> Cell:
    return Cell(NONE) if p is None else Cell(_p(p), p)


def _printed_cell(one: ExplainedPart) -> Cell:
    share, added = _printed(one, "pct"), _printed(one, "added")
    if not share:
        return Cell(NONE)
    return Cell(f"{share}{NBSP}%", float(share), note=f"Δ{NBSP}log{NBSP}L {added}" if added else "")


def _printed(one: ExplainedPart, what: str) -> str:
    """The paper's figure, with its digits; empty where it prints none."""
    factor = PRINTED_FACTORS.get(one.factor, "")
    return text_figures().get(f"{one.rate}_{factor}_{what}", "")


def _r_cell(one: ProxyLine) -> Cell:
    found = one.found
    if found.r is None:
        return Cell(NONE, note=found.refused or "")
    ends = f"{_signed(found.interval.low)} to {_signed(found.interval.high)}" if found.interval else ""
    return Cell(_signed(found.r), found.r, note=ends)


def _printed_r_cell(one: ProxyLine) -> Cell:
    text = text_figures()[f"r_{PRINTED_PROXIES[one.proxy]}"] if one.rate == "correctness" else ""
    return Cell(text, float(text)) if text else Cell(NONE)


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", MINUS)


def _entry_cell(one: SlowerEntry) -> Cell:
    url = page_url("configuration", one.configuration) if one.configuration else ""
    return Cell(one.name, one.name, url)
