"""The tables and figures of AgentKernelArena's paper: as printed, and drawn from the same numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from evaluator.bundles.tasklists import arena_operator_types
from leaderboard.charts import Chart, HeatChart, Point, RowChart, Series, heat_map, ratio_dots, share_dots
from leaderboard.formatting import NBSP, NONE, significant
from leaderboard.pages.agentkernelarena.counterparts import group_of
from leaderboard.pages.agentkernelarena.row_checks import RowCheck, check
from leaderboard.pages.base import Link, count_cell, page_url
from leaderboard.pages.papers.printed import NOT_LOADED, PrintedTables, Rows
from leaderboard.pages.section import Section, Shown
from leaderboard.tables import Cell, Field, RowGroup, Table, grouped, text_field
from leaderboard.words import CATEGORIES, operator_type

RESULTS, SPREAD, CONFIGURATIONS, TOKENS, TASKS, FIGURES = (
    f"agentkernelarena-{name}"
    for name in (
        *("main-results", "speedup-distribution", "configurations", "output-tokens-thousands"),
        *("task-categories", "text-figures"),
    )
)
SLUGS = (TASKS, RESULTS, SPREAD, CONFIGURATIONS, TOKENS, FIGURES)
RATES = {
    "compilation_rate_pct": "Compiled",
    "correctness_rate_pct": "Correct",
    "fast_1_pct": "fast₁",
    "fast_2_pct": "fast₂",
}
SEEN_AND_UNSEEN = {  # of Figure 4, those points that the text prints: figure → category, agent, model
    "gain_opus47": ("hip2hip", "Cursor Agent", "Opus 4.7 High"),
    "gain_gpt54": ("hip2hip", "Cursor Agent", "GPT-5.4 High"),
    "unseen_speedup_codex": ("torch2hip", "Codex Agent", "GPT-5.3-Codex"),
}


def printed() -> PrintedTables:
    return PrintedTables.load(SLUGS)


def tasks_by_category(paper: PrintedTables) -> Mapping[str, int]:
    """By Table 1."""
    found: Counter[str] = Counter()
    for row in paper.rows[TASKS]:
        found[row["category"]] += int(row["tasks"])
    return found


def row_checks(paper: PrintedTables) -> tuple[RowCheck, ...]:
    tasks = tasks_by_category(paper)
    spreads = {(row["category"], row["agent"], row["model"]): row for row in paper.rows[SPREAD]}
    return tuple(
        check(row, spreads[row["category"], row["agent"], row["model"]], tasks[row["category"]])
        for row in paper.rows[RESULTS]
    )


def text_values(paper: PrintedTables) -> Mapping[str, str]:
    return {row["figure"]: row["value"] for row in paper.rows[FIGURES]}


def sections(paper: PrintedTables) -> tuple[Section, ...]:
    if not paper.is_whole:
        return (Section(slug="tables", title="Its tables", text=NOT_LOADED),)
    rows, values = paper.rows, text_values(paper)
    tasks = tasks_by_category(paper)
    return (
        Section(
            slug="tasks",
            title="Tables 1 and 5: tasks",
            links=(Link("Every public task with ours after it", page_url("agentkernelarena")),),
            tables=(paper.shown(TASKS), Shown(_types_table(), folded="Table 5 by operator type")),
        ),
        Section(
            slug="results",
            title="Tables 2 to 4: results",
            text="Whiskers are σr, the standard deviation between the means of three runs. Percentages are printed; "
            "the counts below them follow.",
            charts=(*_speeds(rows[RESULTS]), *_rates(rows[RESULTS], tasks)),
            tables=(paper.shown(RESULTS, "Tables 2 to 4 as printed"),),
        ),
        Section(
            slug="distribution",
            title="Table 8: distribution over tasks",
            text="Dots are P75, whiskers reach from P25 to P90.",
            charts=tuple(_quantiles(rows[SPREAD])),
            tables=(paper.shown(SPREAD, "Table 8 as printed"),),
        ),
        Section(
            slug="configurations",
            title="Tables 6, 7 and 9: configurations and tokens",
            links=(Link("Tokens against speedup, drawn", page_url("cost")),),
            tables=(
                paper.shown(CONFIGURATIONS, "Tables 6 and 7 as printed"),
                paper.shown(TOKENS, "Table 9 as printed"),
            ),
        ),
        Section(
            slug="unseen",
            title="Figures 2 to 4",
            text="The paper prints no table behind them. Drawn here is what its text says of Figures 3 and 4: ranges, "
            "and three points of 24. Of Figure 2 it says that speedups of cases of fused_moe_gptq_awq lie between "
            f"{values['cases_fused_moe_least']} and {values['cases_fused_moe_most']}; the mean of cases is printed "
            "nowhere.",
            charts=(_conditional(values), _seen_and_unseen(rows[RESULTS], values)),
        ),
    )


def _speeds(rows: Rows) -> Sequence[Chart]:
    series = (Series("first", "Mean"), Series("second", "Geometric mean"))
    return [
        ratio_dots(
            f"speeds_{slug}",
            f"{CATEGORIES[slug]}: mean and geometric mean",
            "Speedups over tasks as printed, with the spread between runs as whiskers: a row for each configuration.",
            "times as fast as the baseline",
            series,
            [(_name(row), "", [_mean(row, "mean_speedup"), _mean(row, "geo_mean")]) for row in own],
        )
        for slug, own in _by_category(rows).items()
    ]


def _mean(row: Mapping[str, str], key: str) -> Point:
    value, sigma = row["geo_mean_speedup" if key == "geo_mean" else key], row[f"{key}_sigma_r"]
    low = max(float(value) - float(sigma), 0.01)
    return Point(float(value), f"{value} ± {sigma}", low, float(value) + float(sigma))


def _rates(rows: Rows, tasks: Mapping[str, int]) -> Sequence[HeatChart]:
    return [
        heat_map(
            f"rates_{slug}",
            f"{CATEGORIES[slug]}: rates",
            f"Printed percentages of {tasks[slug]} tasks and of three runs on each: a row for each configuration.",
            list(RATES.values()),
            [(_name(row), "", [_rate(row, key, tasks[slug]) for key in RATES]) for row in own],
        )
        for slug, own in _by_category(rows).items()
    ]


def _rate(row: Mapping[str, str], key: str, tasks: int) -> tuple[float, str, str]:
    of = tasks if key.startswith("fast") else 3 * tasks
    return float(row[key]) / 100, f"{row[key]}{NBSP}%", f"{round(float(row[key]) * of / 100)} of {of}"


def _quantiles(rows: Rows) -> Sequence[RowChart]:
    series = (Series("first", "P75, from P25 to P90"),)
    return [
        ratio_dots(
            f"quantiles_{slug}",
            f"{CATEGORIES[slug]}: P25, P75 and P90",
            "Quantiles of tasks' speedups, each a mean over three runs, as printed: a row for each configuration.",
            "times as fast as the baseline",
            series,
            [(_name(row), "", [_quantile(row)]) for row in own],
        )
        for slug, own in _by_category(rows).items()
    ]


def _quantile(row: Mapping[str, str]) -> Point:
    text = f"{row['p25']} · {row['p75']} · {row['p90']}"
    return Point(float(row["p75"]), text, float(row["p25"]), float(row["p90"]))


def _conditional(values: Mapping[str, str]) -> RowChart:
    series = (Series("first", "Means of 3 runs"), Series("second", "Single runs"))
    return share_dots(
        "conditional",
        "Figure 3: correct on unseen inputs, of those where the original is",
        "Ranges over configurations that the text prints: those of section 4.2, and below them those of appendix I.",
        "conditional correctness",
        series,
        [
            (CATEGORIES[slug], "", [_range(values, f"unseen_{slug}"), _range(values, f"unseen_run_{slug}")])
            for slug in ("hip2hip", "triton2triton", "torch2hip")
        ],
    )


def _range(values: Mapping[str, str], key: str) -> Point:
    least, most = values[f"{key}_least"], values[f"{key}_most"]
    return Point(None, f"{least} to {most}{NBSP}%", float(least) / 100, float(most) / 100)


def _seen_and_unseen(rows: Rows, values: Mapping[str, str]) -> RowChart:
    means = {(row["category"], row["agent"], row["model"]): row["mean_speedup"] for row in rows}
    given = []
    for figure, (category, agent, model) in SEEN_AND_UNSEEN.items():
        seen, value = float(means[category, agent, model]), float(values[figure])
        unseen = seen * (1 + value / 100) if figure.startswith("gain") else value
        text = f"{significant(unseen)}, from +{values[figure]}{NBSP}%" if figure.startswith("gain") else values[figure]
        points = [Point(seen, f"{means[category, agent, model]}×"), Point(unseen, f"{text}×".replace(f"{NBSP}%×", "%"))]
        given.append((f"{agent} · {model}", CATEGORIES[category], points))
    series = (Series("first", "Seen inputs"), Series("second", "Unseen inputs"))
    return ratio_dots(
        "seen_and_unseen",
        "Figure 4: mean speedup on seen and unseen inputs",
        "The three of its 24 points that the text prints, two of them as a gain in percent.",
        "times as fast as the baseline",
        series,
        given,
    )


def _types_table() -> Table:
    """Table 5 by project and operator type: how many tasks it names, and how many there are."""
    types = arena_operator_types()
    here: Counter[tuple[tuple[str, str], str]] = Counter()
    named: Counter[tuple[tuple[str, str], str]] = Counter()
    for path, one in types.items():
        here[group_of(path), one.name] += 1
        named[group_of(path), one.name] += one.is_printed
    groups = dict.fromkeys(group for group, _ in here)
    columns: tuple[Field[tuple[tuple[str, str], str]], ...] = (
        text_field("category", "Category", lambda row: row[0][0], on_page=False),
        text_field("project", "Project", lambda row: row[0][1], on_page=False),
        Field("operator", "Operator type", lambda row: Cell(operator_type(row[1]), row[1])),
        Field("named", "Named in Table 5", lambda row: count_cell(named[row]), is_number=True),
        Field("tasks", "Tasks in the repository", lambda row: count_cell(here[row]), is_number=True),
    )
    given = [
        RowGroup(tuple(row for row in here if row[0] == group), f"{CATEGORIES[group[0]]}, {group[1]}")
        for group in groups
    ]
    return grouped("types", "Table 5 by operator type, and the tasks of commit 59ad44bb", columns, given, NONE)


def _by_category(rows: Rows) -> Mapping[str, list[Mapping[str, str]]]:
    found: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        found.setdefault(row["category"], []).append(row)
    return found


def _name(row: Mapping[str, str]) -> str:
    return f"{row['agent']} · {row['model']}"
